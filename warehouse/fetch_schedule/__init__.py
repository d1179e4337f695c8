"""The fetch schedule: when each account and post is fetched next, and which worker claims it."""
