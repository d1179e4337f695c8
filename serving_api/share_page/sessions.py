"""Who has entered the right PIN: told by a signed cookie, for one page and one PIN.

The cookie names the PIN (`pin_id`), so it is worth nothing after the next one, and neither for
another page nor for a link that was deleted and made anew. It follows the real clock.
"""

from hashlib import sha256

from fastapi import Request, Response
from itsdangerous import BadSignature, URLSafeTimedSerializer

from serving_api.resources.tracking.share_links.presenter import PATH
from warehouse.operational.models import ShareLink

COOKIE = "share"
SECONDS = 24 * 60 * 60


class Sessions:
    """Made once for the application. `https` keeps the cookie off unencrypted connections."""

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._signed = URLSafeTimedSerializer(
            secret, salt="share session", signer_kwargs={"digest_method": sha256}
        )

    def begin(self, response: Response, link: ShareLink) -> None:
        """Give the visitor a session. `lax`, or a link in a message would not bring it along."""
        response.set_cookie(
            COOKIE,
            self._signed.dumps(str(link.pin_id)),
            max_age=SECONDS,
            path=f"{PATH}/{link.creator_id}",
            secure=self._https,
            httponly=True,
            samesite="lax",
        )

    def is_open(self, request: Request, link: ShareLink) -> bool:
        """Tell whether the visitor has a session for this link and its present PIN."""
        try:
            pin_id = self._signed.loads(request.cookies.get(COOKIE, ""), max_age=SECONDS)
        except BadSignature:
            return False
        return bool(pin_id == str(link.pin_id))
