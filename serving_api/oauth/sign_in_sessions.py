"""Sign-in sessions of the OAuth pages: a signed cookie for 15 minutes, and form tokens.

A form token is valid only for its sign-in session and authorization request. Signing in starts a
new sign-in session, which is stored as a session of the desk and ends with them. A browser that is
signed in at the desk uses that session instead. Uses the real clock.
"""

import secrets
from dataclasses import dataclass
from hashlib import sha256

from fastapi import Request, Response
from itsdangerous import BadSignature, Signer, URLSafeTimedSerializer

from serving_api.errors import Forbidden
from serving_api.passwords import hash_token

COOKIE = "oauth"
PATH = "/oauth"
SECONDS = 15 * 60
OF_DESK = "desk."
"""Before the hash of the desk's token; other ids have no point."""


@dataclass(frozen=True, slots=True)
class SignInSession:
    """A browser's sign-in session, and the hash under which it is stored after sign-in.

    Its token never leaves the server, so that the cookie opens no page of the desk.
    """

    id: str
    token_hash: bytes

    @property
    def is_desk(self) -> bool:
        return self.id.startswith(OF_DESK)


class SignInSessions:
    """Created once per application. `https` sets the Secure flag."""

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._cookies = URLSafeTimedSerializer(
            secret, salt="oauth session", signer_kwargs={"digest_method": sha256}
        )
        self._forms = Signer(secret, salt="oauth form", digest_method=sha256)
        self._tokens = Signer(secret, salt="oauth token", digest_method=sha256)

    def of(self, request: Request) -> SignInSession | None:
        """Return the browser's sign-in session, or None."""
        try:
            cookie = request.cookies.get(COOKIE, "")
            return self._session(self._cookies.loads(cookie, max_age=SECONDS))
        except BadSignature:
            return None

    def begin(self) -> SignInSession:
        """Return a new sign-in session; `set_cookie` sends it to the browser."""
        return self._session(secrets.token_urlsafe())

    def of_desk(self, token: str) -> SignInSession:
        """Return the desk's session as a sign-in session, which ends with it."""
        return self._session(OF_DESK + hash_token(token).hex())

    def _session(self, session_id: str) -> SignInSession:
        if session_id.startswith(OF_DESK):
            return SignInSession(session_id, bytes.fromhex(session_id.removeprefix(OF_DESK)))
        return SignInSession(
            session_id, hash_token(self._tokens.get_signature(session_id).decode())
        )

    def set_cookie(self, response: Response, sign_in: SignInSession) -> None:
        """Set the session's cookie. `lax`, because apps link here from other sites."""
        response.set_cookie(
            COOKIE,
            self._cookies.dumps(sign_in.id),
            max_age=SECONDS,
            path=PATH,
            secure=self._https,
            httponly=True,
            samesite="lax",
        )

    def form(self, sign_in: SignInSession, action: str, query: str) -> str:
        return self._forms.get_signature(_signed_text(sign_in, action, query)).decode()

    def require_form(self, request: Request, action: str, sent: str) -> SignInSession:
        """Return the session that the form token belongs to. Raises Forbidden."""
        sign_in = self.of(request)
        if sign_in is None or not self._forms.verify_signature(
            _signed_text(sign_in, action, request.url.query), sent.encode()
        ):
            raise Forbidden("This page has expired. Return to the app and start again.")
        return sign_in


def _signed_text(sign_in: SignInSession, action: str, query: str) -> str:
    return "\0".join((sign_in.id, action, query))
