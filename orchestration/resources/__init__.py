"""Dagster resources: thin builders of plain objects, which tests replace."""
