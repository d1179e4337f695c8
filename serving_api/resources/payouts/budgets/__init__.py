"""Budgets of payouts: what a project, a campaign or a structure may cost, and does by now."""
