"""Imports history from files (CSV, Parquet) into a project, after checking them."""
