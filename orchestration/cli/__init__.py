"""The `tracker` command line: one module a command, on top of everything else."""
