"""Payout budgets of projects, campaigns and structures."""
