"""The session cookie, and form tokens that protect against cross-site requests."""

import secrets
from hashlib import sha256

from fastapi import Request, Response
from itsdangerous import Signer

from serving_api.desk.sessions import LONGEST
from serving_api.errors import Forbidden

COOKIE = "desk"
PATH = "/desk"
DONE = "desk-done"
DONE_FOR = 60
"""Seconds in which the browser loads the page after a form."""
FORM = "form"
"""The hidden field with the form token."""


class DeskCookies:
    """Created once per application. `https` sets the Secure flag.

    A browser gets a token before sign-in, so that the sign-in form is protected too. Signing in
    replaces it.
    """

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._forms = Signer(secret, salt="desk form", digest_method=sha256)

    def token_of(self, request: Request) -> str:
        """Return the browser's token, or ""."""
        return request.cookies.get(COOKIE, "")

    def set_cookie(self, response: Response, token: str) -> None:
        """Set the cookie. `lax`: with `strict`, links in e-mails would require signing in again."""
        response.set_cookie(
            COOKIE,
            token,
            max_age=int(LONGEST.total_seconds()),
            path=PATH,
            secure=self._https,
            httponly=True,
            samesite="lax",
        )

    def is_done(self, request: Request) -> bool:
        """Whether this page follows an accepted form."""
        return DONE in request.cookies and request.method == "GET"

    def note_done(self, request: Request, answer: Response, *, is_done: bool) -> None:
        """Set the cookie for the next page after an accepted form, and clear it there."""
        if is_done:
            answer.set_cookie(
                DONE,
                "yes",
                max_age=DONE_FOR,
                path=PATH,
                secure=self._https,
                httponly=True,
                samesite="lax",
            )
        elif self.is_done(request):
            answer.delete_cookie(DONE, path=PATH)

    def form(self, token: str) -> str:
        """Return the form token, a signature of the browser's token."""
        return self._forms.get_signature(token).decode()

    def require_form(self, request: Request, sent: str) -> None:
        """Raise Forbidden if the form token does not match the browser's."""
        token = self.token_of(request)
        if not token or not self._forms.verify_signature(token, sent.encode()):
            raise Forbidden("This page has expired. Go back, reload it and try again.")


def new_token() -> str:
    """Return 256 random bits as URL-safe text."""
    return secrets.token_urlsafe(32)
