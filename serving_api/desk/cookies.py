"""The browser's side of a session: its cookie, and the forms that its pages were given."""

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
"""Seconds in which the page that follows a form is asked for."""
FORM = "form"
"""The field of every form that says for which browser it was made."""


class DeskCookies:
    """Made once for the application. `https` keeps the cookie off unencrypted connections.

    A browser has a token before anybody signs in, so that the form of sign-in is its own, too.
    Signing in gives it another one.
    """

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._forms = Signer(secret, salt="desk form", digest_method=sha256)

    def token_of(self, request: Request) -> str:
        """Return the token of a browser, "" where it has none yet."""
        return request.cookies.get(COOKIE, "")

    def set_cookie(self, response: Response, token: str) -> None:
        """Let a browser keep its token. `lax`, or links in messages would ask for passwords."""
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
        """Whether a form was taken, and this is the page after it."""
        return DONE in request.cookies and request.method == "GET"

    def note_done(self, request: Request, answer: Response, *, is_done: bool) -> None:
        """Have the page that a form leads to say that it was taken, and no other page."""
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
        """Return what a form carries so that nobody else can have made it."""
        return self._forms.get_signature(token).decode()

    def require_form(self, request: Request, sent: str) -> None:
        """Raise Forbidden unless a form was made for the browser that sends it."""
        token = self.token_of(request)
        if not token or not self._forms.verify_signature(token, sent.encode()):
            raise Forbidden("This page was open for too long. Go back, load it anew, try again.")


def new_token() -> str:
    """Return a new token of 256 random bits."""
    return secrets.token_urlsafe(32)
