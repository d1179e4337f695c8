"""Builds the marts: dbt in this process, and which of its nodes a run needs."""
