"""Worked cases of payouts in JSON, to test any implementation against.

`python -m tests.worked_cases` writes `docs/statements/cases.json`: small random arrangements of one
creator, and the amounts that tests.oracles.payouts computes for them.
"""
