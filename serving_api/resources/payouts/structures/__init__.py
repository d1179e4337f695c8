"""Payout structures: what a project pays creators for, in versions."""
