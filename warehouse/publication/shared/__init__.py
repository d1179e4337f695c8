"""Publications in a shared bucket: sent by the machine that builds, fetched by nodes.

    manifest.py     a publication's content in the bucket
    pointer.py      the publication to serve: a row in PostgreSQL
    sending.py      from the building machine to the bucket, and deletion of old ones
    fetching.py     from the bucket to a node's data folder
    nodes.py        which machines are nodes
    not_fetched.py  publications that a node could not fetch
    following.py    a node's thread that fetches new ones

Not used without a bucket (TRACKER_LANDING_URL).
"""
