"""What every platform's login offers, by whichever protocol of its own."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, Protocol, TypeVar
from urllib.parse import urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from pydantic import SecretStr

from scrapers.consent.grant import ConsentError, Grant, Person
from scrapers.consent.settings import LoginRoutes

Now = Callable[[], datetime]
Routes = TypeVar("Routes", bound=LoginRoutes)


def system_now() -> datetime:
    """Return the real clock's instant, which tokens go by."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """Our registration with a platform, and where it is asked: the login page, tokens, data."""

    client_id: str
    client_secret: SecretStr
    login_base_url: str
    token_base_url: str
    api_base_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What comes back from a platform, and what only who sent the creator there knows (PKCE)."""

    code: str
    verifier: str
    redirect_uri: str


class Login(Protocol):
    """Asks one platform. Everything but `address` raises ConsentError, never with a token in it."""

    platform: str

    @property
    def permissions(self) -> Mapping[str, str]:
        """The scopes without any of which figures would be missing, each in words for creators."""
        ...

    @property
    def renew_before(self) -> timedelta:
        """How long before the end of an access token it is to be renewed."""
        ...

    def address(self, *, state: str, verifier: str, redirect_uri: str) -> str:
        """Return where to send a creator, who comes back to `redirect_uri`.

        The address holds the challenge of the `verifier` (PKCE) as the platform computes it.
        """
        ...

    def exchange(self, proof: Proof) -> Grant:
        """Return the tokens for a code. It is good for one time."""
        ...

    def who(self, grant: Grant) -> Person:
        """Return whose the tokens are."""
        ...

    def renew(self, grant: Grant) -> Grant:
        """Return new tokens; the ones before may be worth nothing from then on."""
        ...

    def revoke(self, grant: Grant) -> None:
        """Tell the platform that we let go, where it takes that."""
        ...


class AppLogin(Generic[Routes]):
    """What the logins have in common: our app, its routes, and where a creator is sent.

    `now` is the real clock.
    """

    client_id_parameter = "client_id"
    """What the platform calls the name of our app."""

    def __init__(self, app: App, routes: Routes, *, now: Now = system_now) -> None:
        self._app = app
        self._routes = routes
        self._now = now

    @property
    def permissions(self) -> Mapping[str, str]:
        """What has to be allowed, by scope."""
        return self._routes.permissions

    @property
    def renew_before(self) -> timedelta:
        """How long before the end of an access token it is to be renewed."""
        return self._routes.renew_before

    def address(self, *, state: str, verifier: str, redirect_uri: str) -> str:
        """Return where to send a creator."""
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
        """Return what says, in a form, that it is our app that asks."""
        secret = self._app.client_secret.get_secret_value()
        return {self.client_id_parameter: self._app.client_id, "client_secret": secret}


def is_due(login: Login, access_expires_at: datetime, now: datetime) -> bool:
    """Tell whether an access token that ends then is to be renewed now."""
    return now >= access_expires_at - login.renew_before


def let_go(login: Login, grant: Grant) -> None:
    """Tell the platform once that we let go; where that fails the grant is forgotten all the same.

    What it still allows ends by itself, or in the creator's settings with the platform.
    """
    with suppress(ConsentError):
        login.revoke(grant)
