"""Dagster's assets of the dbt models, with data tests as asset checks."""
