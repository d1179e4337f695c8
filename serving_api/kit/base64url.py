"""Bytes as text that may stand in URLs."""

import base64


def base64url(raw: bytes) -> str:
    """Return base64url without padding, as RFC 7515 and 7636 have it."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
