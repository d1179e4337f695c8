"""The interface of every platform's login."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, Protocol, TypeVar
from urllib.parse import urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from pydantic import SecretStr

from scrapers.consent.settings import LoginRoutes
from scrapers.consent.tokens import ConsentError, Grant, Person

Now = Callable[[], datetime]
Routes = TypeVar("Routes", bound=LoginRoutes)


def system_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """Our app's registration with a platform, and its base URLs: login page, tokens, data."""

    client_id: str
    client_secret: SecretStr
    login_base_url: str
    token_base_url: str
    api_base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The code from a platform, and the verifier that only the sender knows (PKCE)."""

    code: str
    verifier: str
    redirect_uri: str


class Login(Protocol):
    """Login with one platform. All but `address` raise ConsentError, without any token in it."""

    platform: str

    @property
    def permissions(self) -> Mapping[str, str]:
        """The required scopes, each described for creators."""
        ...

    @property
    def renew_before(self) -> timedelta:
        """How long before its end an access token is renewed."""
        ...

    def address(self, *, state: str, verifier: str, redirect_uri: str) -> str:
        """Return the URL for a creator, who is redirected back to `redirect_uri`.

        It holds the PKCE challenge of `verifier` as the platform computes it.
        """
        ...

    def exchange(self, proof: Proof) -> Grant:
        """Return the tokens for a code, which works once."""
        ...

    def who(self, grant: Grant) -> Person: ...

    def renew(self, grant: Grant) -> Grant:
        """Return new tokens; the older ones may become invalid."""
        ...

    def revoke(self, grant: Grant) -> None:
        """Revoke the tokens, if the platform supports it."""
        ...


class AppLogin(Generic[Routes]):
    """Common parts of the logins: our app, its routes, and the login URL.

    `now` is the real clock.
    """

    client_id_parameter = "client_id"
    """The platform's parameter for our app's id."""

    def __init__(self, app: App, routes: Routes, *, now: Now = system_now) -> None:
        self._app = app
        self._routes = routes
        self._now = now

    @property
    def permissions(self) -> Mapping[str, str]:
        return self._routes.permissions

    @property
    def renew_before(self) -> timedelta:
        return self._routes.renew_before

    def address(self, *, state: str, verifier: str, redirect_uri: str) -> str:
        query = {
            self.client_id_parameter: self._app.client_id,
            "response_type": "code",
            "scope": ",".join(self.permissions),
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": self._challenge(verifier),
            "code_challenge_method": "S256",
        }
        return f"{self._app.login_base_url}{self._routes.login_path}?{urlencode(query)}"

    @staticmethod
    def _challenge(verifier: str) -> str:
        """Return the challenge of a verifier, by RFC 7636."""
        return str(create_s256_code_challenge(verifier))

    def _own(self) -> dict[str, str]:
        """Return the form fields that authenticate our app."""
        secret = self._app.client_secret.get_secret_value()
        return {self.client_id_parameter: self._app.client_id, "client_secret": secret}


def is_due(login: Login, access_expires_at: datetime, now: datetime) -> bool:
    """Return whether an access token with this end must be renewed now."""
    return now >= access_expires_at - login.renew_before


def let_go(login: Login, grant: Grant) -> None:
    """Revoke a grant once; a failure is ignored.

    What it still allows ends by itself, or in the creator's settings on the platform.
    """
    with suppress(ConsentError):
        login.revoke(grant)
