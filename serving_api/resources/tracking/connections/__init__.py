"""Accounts that creators connect: links to do so, how a connection stands, its end."""
