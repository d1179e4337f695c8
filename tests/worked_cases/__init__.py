"""Worked cases of payouts, told in JSON, that anybody's implementation can be held against.

`docs/statements/cases.json` is written by `python -m tests.worked_cases`: small random arrangements
of one creator, and what tests.oracles.payouts finds is owed for them.
"""
