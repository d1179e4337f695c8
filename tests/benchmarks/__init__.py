"""How fast the service is, and how much memory it takes, each as a ratio taken in one run.

`make bench` runs all of it (`python -m tests.benchmarks --help` for parts of it). What is measured
is the product's own code on made-up history; `hand_script.sql` and plain DuckDB are what it is
measured against. Not here: whether results are right, beyond their equality with the hand script.
"""
