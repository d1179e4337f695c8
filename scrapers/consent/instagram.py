"""Instagram's Business Login."""

from collections.abc import Mapping

from scrapers.consent.login import AppLogin, Proof
from scrapers.consent.requesting import ask, bearer, lasting, reading, secret_at
from scrapers.consent.settings import Instagram, routes
from scrapers.consent.tokens import ConsentEndedError, ConsentUnavailableError, Grant, Person
from scrapers.payload import Json, at, id_at, name_at, number_at, text_at
from scrapers.urls.instagram import PLATFORM

APP_REFUSED = "Meta refuses the app, not a creator's consent: see the app's dashboard"


def is_about_the_app(tree: Mapping[str, Json]) -> bool:
    """Return whether an error's message is about our app, by its words."""
    message = text_at(tree, "error/message") or ""
    return any(each in message for each in routes().instagram.app_words)


class InstagramLogin(AppLogin[Instagram]):
    """A Login whose access token renews itself."""

    platform = PLATFORM

    def exchange(self, proof: Proof) -> Grant:
        """Exchange a code for a token of one hour, and that for one of 60 days."""
        form = self._own() | {
            "grant_type": "authorization_code",
            "code": proof.code,
            "redirect_uri": proof.redirect_uri,
            "code_verifier": proof.verifier,
        }
        path = self._app.token_base_url + self._routes.token_path
        status, tree = ask("POST", path, data=form)
        self._require_success(status, tree)
        given = at(tree, "data/0") or tree
        with reading("a token"):
            short = secret_at(given, "access_token").get_secret_value()
        return self._lasting_token(
            self._routes.long_lived_path,
            _permissions(given),
            grant_type="ig_exchange_token",
            client_secret=self._app.client_secret.get_secret_value(),
            access_token=short,
        )

    def who(self, grant: Grant) -> Person:
        status, tree = ask(
            "GET",
            self._app.api_base_url + self._routes.user_path,
            params={"fields": ",".join(self._routes.user_fields)},
            headers=bearer(grant.access_token),
        )
        self._require_success(status, tree)
        with reading("the account"):
            subject, handle = id_at(tree, "user_id"), name_at(tree, "username")
        if subject is None or handle is None:
            raise ConsentUnavailableError("the response does not name the account")
        return Person(subject=subject, handle=handle.lower(), alt_id=subject)

    def renew(self, grant: Grant) -> Grant:
        """Return a token that lasts 60 days from now."""
        return self._lasting_token(
            self._routes.renew_path,
            grant.scopes,
            grant_type="ig_refresh_token",
            access_token=grant.access_token.get_secret_value(),
        )

    def revoke(self, grant: Grant) -> None:
        """Do nothing: Instagram has no route to revoke a token."""

    def _lasting_token(self, path: str, scopes: tuple[str, ...], **query: str) -> Grant:
        secrets = [value for name, value in query.items() if name != "grant_type"]
        url = self._app.api_base_url + path
        status, tree = ask("GET", url, params=query, secrets=secrets)
        self._require_success(status, tree)
        with reading("a token"):
            expires_at = self._now() + lasting(tree, "expires_in")
            return Grant(
                scopes=scopes,
                access_token=secret_at(tree, "access_token"),
                access_expires_at=expires_at,
                refresh_token=None,
                expires_at=expires_at,
            )

    def _require_success(self, status: int, tree: Mapping[str, Json]) -> None:
        """Raise ConsentError for either of the two formats of an error."""
        if "error" not in tree and "error_type" not in tree:
            return
        with reading("a code of its error"):
            code = number_at(tree, "error/code" if "error" in tree else "code")
        if is_about_the_app(tree):
            raise ConsentUnavailableError(APP_REFUSED)
        is_spent = "error_type" in tree and code == self._routes.spent_code
        message = f"Instagram returned an error (code {code}, HTTP {status})"
        if is_spent or code in self._routes.ended_codes:
            raise ConsentEndedError(message)
        raise ConsentUnavailableError(message)


def _permissions(given: Json) -> tuple[str, ...]:
    """Return the permissions; the documentation shows a list and comma-separated text."""
    permissions = at(given, "permissions")
    listed = permissions.split(",") if isinstance(permissions, str) else permissions
    names = listed if isinstance(listed, list) else []
    return tuple(name.strip() for name in names if isinstance(name, str))
