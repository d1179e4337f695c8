"""What commercial providers have in common: a key, prices, a budget, one GET for each answer.

Which routes a provider has, what it charges and how its answers look is in the folder of its name.
"""
