"""The OpenAPI document, made of what the routes declare, and the page that shows it."""

from serving_api.openapi.answers import answers

__all__ = ["answers"]
