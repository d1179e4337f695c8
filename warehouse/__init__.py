"""Operational store, landing zone, raw tables and publications.

Imports no other package of ours.
"""
