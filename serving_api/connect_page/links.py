"""Signed connect links: for one creator, valid for seven days by the real clock.

A link stops working if the creator is removed or the organization suspended.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from itsdangerous import BadSignature, URLSafeTimedSerializer

PATH = "/connect"
GOOD_FOR = timedelta(days=7)


class ConnectLinks:
    """Created once per application. `origin` is the public base URL."""

    def __init__(self, secret: bytes, origin: str) -> None:
        self._origin = origin
        self._signed = URLSafeTimedSerializer(
            secret, salt="connect link", signer_kwargs={"digest_method": sha256}
        )

    def path_for(self, creator_id: UUID) -> str:
        return f"{PATH}/{self._signed.dumps(str(creator_id))}"

    def url_for(self, creator_id: UUID) -> str:
        return self._origin + self.path_for(creator_id)

    def creator_of(self, token: str) -> UUID | None:
        """Return the link's creator, or None if it is invalid or expired."""
        try:
            return UUID(self._signed.loads(token, max_age=int(GOOD_FOR.total_seconds())))
        except BadSignature:
            return None

    def redirect_uri(self, platform: str) -> str:
        """Return the callback URL, as registered with the platform."""
        return f"{self._origin}{PATH}/callback/{platform}"


def expiry(now: datetime) -> datetime:
    return now + GOOD_FOR
