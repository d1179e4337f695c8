"""Numbers over time and in order of size, as charts, tables and files."""
