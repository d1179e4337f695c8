"""The `tracker` command line: one module per command."""
