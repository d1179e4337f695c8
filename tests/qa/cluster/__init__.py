"""A cluster on one machine: two scrapers, two builders with a shard each, two nodes and a lake.

`python -m tests.qa.cluster` shows it (`make demo-cluster`); test_cluster.py checks it.
"""
