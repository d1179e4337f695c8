"""The OpenAPI document, generated from the routes, and its page."""

from serving_api.openapi.answers import answers

__all__ = ["answers"]
