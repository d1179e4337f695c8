"""Who is before the pages: a signed cookie of a quarter of an hour, and the forms it was given.

A form is worth something only to the sign-in session it was made for, and only for the request of
the program that its page showed. Signing in begins a new sign-in session, over as soon as the
password is another one. It follows the real clock.
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
    """One browser's sign-in session; `user_id` is None until somebody has signed in.

    `password` is a seal of the stored password of that time.
    """

    id: str
    user_id: UUID | None = None
    password: str = ""


class SignInSessions:
    """Made once for the application. `https` keeps the cookie off unencrypted connections."""

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._cookies = URLSafeTimedSerializer(
            secret, salt="oauth sign-in session", signer_kwargs={"digest_method": sha256}
        )
        self._forms = Signer(secret, salt="oauth form", digest_method=sha256)
        self._passwords = Signer(secret, salt="oauth password", digest_method=sha256)

    def of(self, request: Request) -> SignInSession | None:
        """Return the sign-in session of a browser, None where it has begun none."""
        try:
            content = self._cookies.loads(request.cookies.get(COOKIE, ""), max_age=SECONDS)
        except BadSignature:
            return None
        return SignInSession(
            content["id"], UUID(content["user"]) if content["user"] else None, content["password"]
        )

    def begin(self) -> SignInSession:
        """Return a new sign-in session; `set_cookie` gives it to the browser."""
        return SignInSession(secrets.token_urlsafe())

    def begin_as(self, person: Person) -> SignInSession:
        """Return a new sign-in session of who has signed in."""
        seal = self._passwords.get_signature(person.password_hash).decode()
        return SignInSession(secrets.token_urlsafe(), person.user_id, seal)

    def is_of(self, sign_in: SignInSession, user: User) -> bool:
        """Whether the user signed in for this sign-in session, by the password that holds now."""
        stored = user.password_hash or ""
        return sign_in.user_id == user.id and self._passwords.verify_signature(
            stored, sign_in.password.encode()
        )

    def set_cookie(self, response: Response, sign_in: SignInSession) -> None:
        """Let a browser keep its sign-in session. `lax`: programs lead here from other sites."""
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
        """Return what a form carries so that nobody else can have made it."""
        return self._forms.get_signature(_signed_text(sign_in, action, query)).decode()

    def require_form(self, request: Request, action: str, sent: str) -> SignInSession:
        """Return the sign-in session whose form was sent. Raises Forbidden."""
        sign_in = self.of(request)
        if sign_in is None or not self._forms.verify_signature(
            _signed_text(sign_in, action, request.url.query), sent.encode()
        ):
            raise Forbidden("This page was open for too long. Go back to the program, begin anew.")
        return sign_in


def _signed_text(sign_in: SignInSession, action: str, query: str) -> str:
    return "\0".join((sign_in.id, action, query))
