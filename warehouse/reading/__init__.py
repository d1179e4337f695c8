"""Typed queries of the marts in a publication, for the API.

Every query takes a cursor of `warehouse.publication.current` and the organization. The dbt project
builds the marts; callers check permissions.
"""
