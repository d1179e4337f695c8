"""The desk: pages for members, built on the services of the REST API.

A page requires the scope and role of the endpoint that shares its service, and has no business
rules of its own.
"""
