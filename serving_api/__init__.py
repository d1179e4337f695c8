"""The REST API. May import `warehouse` and `scrapers.urls`."""
