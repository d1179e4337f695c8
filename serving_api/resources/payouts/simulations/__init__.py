"""Simulations of what a rule would have paid; nothing is stored."""
