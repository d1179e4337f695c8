"""History from files (CSV, Parquet): what a file says, checked, into one project."""
