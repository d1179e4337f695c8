"""Publications in the bucket that all machines share: sent by the one that builds, taken by nodes.

    manifest.py   what the bucket holds of a publication
    pointer.py    which of them is the one to serve: a row in PostgreSQL
    sending.py    from the machine that builds into the bucket
    retention.py  what is there no longer for anybody
    taking.py     from the bucket into the data folder of a node
    nodes.py      which machines those are
    following.py  a node's thread that takes each new one

Where no bucket is named (TRACKER_LANDING_URL), none of it is used.
"""
