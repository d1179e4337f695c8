"""Base64url without padding."""

import base64


def base64url(raw: bytes) -> str:
    """Return base64url without padding (RFC 7515, RFC 7636)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
