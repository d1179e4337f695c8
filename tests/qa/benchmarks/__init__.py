"""Speed and memory of the service, as ratios within one run.

`make bench` runs everything (`python -m tests.qa.benchmarks --help` lists the parts). It measures
the product's own code on generated history against `hand_script.sql` and plain DuckDB. The only
check of results is that they equal those of the hand script.
"""
