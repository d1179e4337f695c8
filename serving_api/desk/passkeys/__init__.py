"""Passkeys: managing them, and signing in to the desk with one."""
