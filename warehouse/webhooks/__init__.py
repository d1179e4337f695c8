"""Events that programs of organizations are told of: finding, logging, signing and sending them.

What is told where is decided by people (`serving_api.resources.organization.webhooks`).
"""
