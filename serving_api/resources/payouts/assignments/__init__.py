"""Assignments of creators to payout structures, and pauses of a creator's payouts."""
