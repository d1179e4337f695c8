"""Payout structures: what a project pays creators for, version by version."""
