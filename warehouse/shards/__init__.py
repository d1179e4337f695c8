"""Shards: sets of organizations, each with its own worker.

    members.py         the members of a shard
    lease.py           the right of one machine to build a shard
    assigning.py       adding and removing shards, moving members
    weighing.py        the state of each shard, and moves that balance shards
    serving.py         the end of a move, when a shard serves its new members
    whereabouts.py     shards that serve an organization, and requested shards on a node
    publications.py    the publication with an organization, for readers
    together.py        all shards' publications at one moment

Without rows in `shards` there is only `main`.
"""
