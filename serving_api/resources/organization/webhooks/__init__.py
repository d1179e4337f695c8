"""Webhooks: where an organization's programs are told of events, and the log of what they were."""
