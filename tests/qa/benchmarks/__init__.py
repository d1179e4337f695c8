"""How fast the service is, and how much memory it takes, each as a ratio taken in one run.

`make bench` runs all of it (`python -m tests.qa.benchmarks --help` for parts of it). It measures
the product's own code on generated history, against `hand_script.sql` and plain DuckDB. The only
check of results is that they equal those of the hand script.
"""
