"""Typed queries of the marts in a publication: what an API answers numbers from.

Every query takes a cursor of `warehouse.publication.current` and carries the organization. How
the marts come about is the dbt project's; who may ask is the caller's.
"""
