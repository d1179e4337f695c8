"""Common parts of commercial providers: key, prices, budget, one GET per response.

A provider's routes, prices and response formats are in the folder of its name.
"""
