"""Webhook events: finding, logging, signing and sending them to organizations' programs.

People choose which events go where (`serving_api.resources.organization.webhooks`).
"""
