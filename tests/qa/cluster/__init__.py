"""Two machines that scrape, two that compute a shard each and two that serve, on this one.

With a lake over both shards. `python -m tests.qa.cluster` shows it (`make demo-cluster`);
test_cluster.py holds what it should do.
"""
