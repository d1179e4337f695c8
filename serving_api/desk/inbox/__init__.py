"""The inbox: review of newly found posts."""
