"""Operational store, landing zone, raw tables and publications. Imports nothing else of ours."""
