"""The rule lab: simulations of other rules."""
