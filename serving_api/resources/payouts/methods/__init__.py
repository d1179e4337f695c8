"""Payout methods: how creators are paid, each with an icon."""
