"""Shards: sets of organizations, or of projects of a huge one, each with a worker of its own.

    members.py         whom a shard computes
    rows.py            which rows of what PostgreSQL has are a shard's
    lease.py           which machine may build it
    assigning.py       changes of it: shards that are made and removed, members that move
    weighing.py        which members to move so that shards weigh alike
    listing.py         how each shard stands
    serving.py         when somebody who was moved is a shard's alone
    whereabouts.py     which shards answer for whom, and are asked for, as a node notes it
    publications.py    which publication has an organization, for those who read
    joined.py          those of an organization that several shards compute, as one

Where `shards` has no row nothing is sharded, and all of it is `main`.
"""
