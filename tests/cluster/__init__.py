"""Two machines that scrape, one that builds and two that serve, on this one.

`python -m tests.cluster` shows it (`make demo-cluster`); test_cluster.py holds what it should do.
"""
