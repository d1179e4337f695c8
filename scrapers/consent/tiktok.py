"""TikTok's Login Kit."""

from collections.abc import Mapping
from hashlib import sha256

from scrapers.consent.login import AppLogin, Proof
from scrapers.consent.requesting import ask, bearer, lasting, reading, secret_at
from scrapers.consent.settings import TikTok
from scrapers.consent.tokens import ConsentEndedError, ConsentUnavailableError, Grant, Person
from scrapers.payload import Json, name_at, text_at
from scrapers.urls.tiktok import PLATFORM


class TikTokLogin(AppLogin[TikTok]):
    """A Login."""

    platform = PLATFORM

    client_id_parameter = "client_key"

    def exchange(self, proof: Proof) -> Grant:
        return self._granted(
            grant_type="authorization_code",
            code=proof.code,
            redirect_uri=proof.redirect_uri,
            code_verifier=proof.verifier,
        )

    def who(self, grant: Grant) -> Person:
        status, tree = ask(
            "GET",
            self._app.api_base_url + self._routes.user_path,
            params={"fields": ",".join(self._routes.user_fields)},
            headers=bearer(grant.access_token),
        )
        code = text_at(tree, "error/code")
        if code != "ok":
            raise self._refusal(status, code)
        with reading("the account"):
            subject, handle = (
                name_at(tree, f"data/user/{field}") for field in ("open_id", "username")
            )
        if subject is None or handle is None:
            raise ConsentUnavailableError("the response does not name the account")
        return Person(subject=subject, handle=handle.lower(), alt_id=None)

    def renew(self, grant: Grant) -> Grant:
        """Return new tokens; the old refresh token is invalid from then on."""
        if grant.refresh_token is None:
            raise ConsentEndedError("there is no refresh token")
        token = grant.refresh_token.get_secret_value()
        return self._granted(grant_type="refresh_token", refresh_token=token)

    def revoke(self, grant: Grant) -> None:
        """Remove our app from the creator's connected apps."""
        form = self._own() | {"token": grant.access_token.get_secret_value()}
        path = self._app.token_base_url + self._routes.revoke_path
        status, tree = ask("POST", path, data=form)
        if (error := text_at(tree, "error")) is not None:
            raise self._refusal(status, error)

    @staticmethod
    def _challenge(verifier: str) -> str:
        """Return the digest in hexadecimal: TikTok rejects base64url (platforms.md)."""
        return sha256(verifier.encode()).hexdigest()

    def _granted(self, **form: str) -> Grant:
        path = self._app.token_base_url + self._routes.token_path
        status, tree = ask("POST", path, data=self._own() | form)
        if (error := text_at(tree, "error")) is not None:
            raise self._refusal(status, error)
        return self._grant(tree)

    def _grant(self, tree: Mapping[str, Json]) -> Grant:
        now = self._now()
        with reading("tokens"):
            scopes = text_at(tree, "scope") or ""
            return Grant(
                scopes=tuple(scope.strip() for scope in scopes.split(",") if scope.strip()),
                access_token=secret_at(tree, "access_token"),
                access_expires_at=now + lasting(tree, "expires_in"),
                refresh_token=secret_at(tree, "refresh_token"),
                expires_at=now + lasting(tree, "refresh_expires_in"),
            )

    def _refusal(self, status: int, error: str | None) -> Exception:
        message = f"TikTok returned {error or 'an unknown error'} (HTTP {status})"
        is_over = error in self._routes.ended
        return ConsentEndedError(message) if is_over else ConsentUnavailableError(message)
