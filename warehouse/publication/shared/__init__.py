"""Publications in a shared bucket: sent by the machine that builds, fetched by nodes.

Not used without a bucket (TRACKER_LANDING_URL).
"""
