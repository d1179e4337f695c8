"""Webhooks: endpoints that receive an organization's events, and the log of events."""
