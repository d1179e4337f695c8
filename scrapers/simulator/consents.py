"""Consents in the simulated world: codes, tokens, and how they end.

Tokens end by renewal, revocation or a fault, never by time. PKCE (S256) is enforced if requested;
a code works once, for the app and redirect URI it was issued to.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from scrapers.simulator.answers import redirect


@dataclass(frozen=True, slots=True)
class Consent:
    """What an account (by its second id) allowed an app to read."""

    alt_id: str
    app: str
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Code:
    consent: Consent
    redirect_uri: str
    challenge: str | None


class Consents:
    """The consents of one platform, with its own way to compute a PKCE challenge."""

    def __init__(self, challenge_of: Callable[[str], str]) -> None:
        self._challenge_of = challenge_of
        self._codes: dict[str, _Code] = {}
        self._access: dict[str, Consent] = {}
        self._refresh: dict[str, Consent] = {}

    def code_for(self, consent: Consent, redirect_uri: str, challenge: str | None) -> str:
        """Return a code that can be exchanged once."""
        code = secrets.token_urlsafe(24)
        self._codes[code] = _Code(consent, redirect_uri, challenge)
        return code

    def exchanged(self, code: str, app: str, redirect_uri: str, verifier: str) -> Consent | None:
        """Return the consent of a code and use it up; None if invalid."""
        pending = self._codes.pop(code, None)
        if pending is None or (pending.consent.app, pending.redirect_uri) != (app, redirect_uri):
            return None
        return (
            pending.consent if pending.challenge in (None, self._challenge_of(verifier)) else None
        )

    def access_for(self, consent: Consent, prefix: str) -> str:
        token = prefix + secrets.token_hex(24)
        self._access[token] = consent
        return token

    def refresh_for(self, consent: Consent) -> str:
        token = f"rft.{secrets.token_hex(24)}"
        self._refresh[token] = consent
        return token

    def by_access(self, token: str) -> Consent | None:
        """Return the consent of an access token, None if invalid."""
        return self._access.get(token)

    def refreshed(self, token: str) -> Consent | None:
        """Return the consent of a refresh token and use it up; None if invalid."""
        consent = self._refresh.pop(token, None)
        return consent if consent and self._end(consent, self._access) else None

    def revoke(self, consent: Consent) -> None:
        """End every token of an account's consent to an app."""
        self._end(consent, self._access)
        self._end(consent, self._refresh)

    def _end(self, consent: Consent, tokens: dict[str, Consent]) -> bool:
        for token in [token for token, holder in tokens.items() if holder == consent]:
            del tokens[token]
        return True


def login_page(path: str, query: Mapping[str, str]) -> Response:
    """Return the page where a person enters a handle, and allows or denies."""
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in query.items()
    )
    return HTMLResponse(
        f'<!DOCTYPE html><html lang="en"><body><form action="{escape(path)}">{hidden}'
        '<label>Handle <input name="handle"></label>'
        '<button name="decision" value="allow">Allow</button>'
        '<button name="decision" value="deny">Deny</button></form></body></html>'
    )


def back(redirect_uri: str, state: str, **answer: str) -> Response:
    return redirect(f"{redirect_uri}?{urlencode({**answer, 'state': state})}")
