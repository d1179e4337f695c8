"""Common parts of commercial providers: key, prices, budget, one GET per response.

Each provider's response formats are in the module of its name, its routes and prices beside it in
TOML.
"""
