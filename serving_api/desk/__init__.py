"""The desk: pages for people who run a program, on the services that REST calls.

A page asks for the same scope and role as the endpoint whose service it calls, and decides nothing
itself.
"""
