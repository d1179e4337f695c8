"""Who is before the pages: a signed cookie of a quarter of an hour, and the forms it was given.

A form is worth something only to the visit it was made for, and only for the request of the program
that its page showed. Signing in begins a new visit, over as soon as the password is another one. It
follows the real clock.
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
class Visit:
    """One browser's visit; `user_id` is None until somebody has signed in.

    `password` is a seal of the stored password of that time.
    """

    id: str
    user_id: UUID | None = None
    password: str = ""


class Visits:
    """Made once for the application. `https` keeps the cookie off unencrypted connections."""

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._cookies = URLSafeTimedSerializer(
            secret, salt="oauth visit", signer_kwargs={"digest_method": sha256}
        )
        self._forms = Signer(secret, salt="oauth form", digest_method=sha256)
        self._passwords = Signer(secret, salt="oauth password", digest_method=sha256)

    def of(self, request: Request) -> Visit | None:
        """Return the visit of a browser, None where it has begun none."""
        try:
            content = self._cookies.loads(request.cookies.get(COOKIE, ""), max_age=SECONDS)
        except BadSignature:
            return None
        return Visit(
            content["id"], UUID(content["user"]) if content["user"] else None, content["password"]
        )

    def begin(self) -> Visit:
        """Return a new visit; `keep` gives it to the browser."""
        return Visit(secrets.token_urlsafe())

    def begin_as(self, person: Person) -> Visit:
        """Return a new visit of who has signed in."""
        seal = self._passwords.get_signature(person.password_hash).decode()
        return Visit(secrets.token_urlsafe(), person.user_id, seal)

    def is_of(self, visit: Visit, user: User) -> bool:
        """Whether the user signed in for this visit, by the password that holds now."""
        stored = user.password_hash or ""
        return visit.user_id == user.id and self._passwords.verify_signature(
            stored, visit.password.encode()
        )

    def keep(self, response: Response, visit: Visit) -> None:
        """Let a browser keep its visit. `lax`: programs lead here from other sites."""
        user = str(visit.user_id) if visit.user_id else None
        content = {"id": visit.id, "user": user, "password": visit.password}
        response.set_cookie(
            COOKIE,
            self._cookies.dumps(content),
            max_age=SECONDS,
            path=PATH,
            secure=self._https,
            httponly=True,
            samesite="lax",
        )

    def form(self, visit: Visit, action: str, query: str) -> str:
        """Return what a form carries so that nobody else can have made it."""
        return self._forms.get_signature(_shown(visit, action, query)).decode()

    def require_form(self, request: Request, action: str, sent: str) -> Visit:
        """Return the visit whose form was sent. Raises Forbidden."""
        visit = self.of(request)
        if visit is None or not self._forms.verify_signature(
            _shown(visit, action, request.url.query), sent.encode()
        ):
            raise Forbidden("This page was open for too long. Go back to the program, begin anew.")
        return visit


def _shown(visit: Visit, action: str, query: str) -> str:
    return "\0".join((visit.id, action, query))
