"""Dagster definitions and the `tracker` command line, on top of everything else."""
