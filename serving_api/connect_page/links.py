"""The links that creators are sent: signed, for one creator, good for a week.

A link is worth nothing once its creator is removed or the organization suspended. It follows the
real clock.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from itsdangerous import BadSignature, URLSafeTimedSerializer

PATH = "/connect"
GOOD_FOR = timedelta(days=7)


class ConnectLinks:
    """Made once for the application. `origin` is what people reach."""

    def __init__(self, secret: bytes, origin: str) -> None:
        self._origin = origin
        self._signed = URLSafeTimedSerializer(
            secret, salt="connect link", signer_kwargs={"digest_method": sha256}
        )

    def path_for(self, creator_id: UUID) -> str:
        """Return the path of a new link."""
        return f"{PATH}/{self._signed.dumps(str(creator_id))}"

    def url_for(self, creator_id: UUID) -> str:
        """Return a new link."""
        return self._origin + self.path_for(creator_id)

    def creator_of(self, token: str) -> UUID | None:
        """Return whose link it is; None where it is none, or too old."""
        try:
            return UUID(self._signed.loads(token, max_age=int(GOOD_FOR.total_seconds())))
        except BadSignature:
            return None

    def redirect_uri(self, platform: str) -> str:
        """Return where the platform sends creators back to, as it is registered there."""
        return f"{self._origin}{PATH}/callback/{platform}"


def expiry(now: datetime) -> datetime:
    """Return until when a link is good that is made now."""
    return now + GOOD_FOR
