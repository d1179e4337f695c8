"""The connect page: creators link their platform accounts by OAuth.

The link shows the creator's handles only. Connecting an account requires its platform login.
"""
