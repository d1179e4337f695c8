"""Passkeys: people add them to themselves, and sign in to the desk with one."""
