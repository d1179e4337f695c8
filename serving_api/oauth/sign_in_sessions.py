"""Sign-in sessions of the OAuth pages: a signed cookie for 15 minutes, and form tokens.

A form token is valid only for its sign-in session and authorization request. Signing in starts a
new sign-in session, which ends when the password changes. Uses the real clock.
"""

import secrets
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from fastapi import Request, Response
from itsdangerous import BadSignature, Signer, URLSafeTimedSerializer

from serving_api.errors import Forbidden
from serving_api.oauth.sign_in import Person
from warehouse.operational.models import User

COOKIE = "oauth"
PATH = "/oauth"
SECONDS = 15 * 60


@dataclass(frozen=True, slots=True)
class SignInSession:
    """A browser's sign-in session; `user_id` is None before sign-in.

    `password` is a signature of the stored password hash.
    """

    id: str
    user_id: UUID | None = None
    password: str = ""


class SignInSessions:
    """Created once per application. `https` sets the Secure flag."""

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._cookies = URLSafeTimedSerializer(
            secret, salt="oauth sign-in session", signer_kwargs={"digest_method": sha256}
        )
        self._forms = Signer(secret, salt="oauth form", digest_method=sha256)
        self._passwords = Signer(secret, salt="oauth password", digest_method=sha256)

    def of(self, request: Request) -> SignInSession | None:
        """Return the browser's sign-in session, or None."""
        try:
            content = self._cookies.loads(request.cookies.get(COOKIE, ""), max_age=SECONDS)
        except BadSignature:
            return None
        return SignInSession(
            content["id"], UUID(content["user"]) if content["user"] else None, content["password"]
        )

    def begin(self) -> SignInSession:
        """Return a new sign-in session; `set_cookie` sends it to the browser."""
        return SignInSession(secrets.token_urlsafe())

    def begin_as(self, person: Person) -> SignInSession:
        """Return a new sign-in session of a signed-in user."""
        seal = self._passwords.get_signature(person.password_hash).decode()
        return SignInSession(secrets.token_urlsafe(), person.user_id, seal)

    def is_of(self, sign_in: SignInSession, user: User) -> bool:
        """Return whether this session is the user's, with the current password."""
        stored = user.password_hash or ""
        return sign_in.user_id == user.id and self._passwords.verify_signature(
            stored, sign_in.password.encode()
        )

    def set_cookie(self, response: Response, sign_in: SignInSession) -> None:
        """Set the session's cookie. `lax`, because apps link here from other sites."""
        user = str(sign_in.user_id) if sign_in.user_id else None
        content = {"id": sign_in.id, "user": user, "password": sign_in.password}
        response.set_cookie(
            COOKIE,
            self._cookies.dumps(content),
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
