"""Requests to a platform's login return a response or raise ConsentUnavailableError."""

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from scrapers.consent.instagram import InstagramLogin
from scrapers.consent.login import App
from scrapers.consent.requesting import ask
from scrapers.consent.settings import routes
from scrapers.consent.tokens import ConsentEndedError, ConsentUnavailableError, Grant
from tests.fixtures.paid import PaidServer, Reply


def test_an_invalid_redirect_is_no_response(server: PaidServer) -> None:
    server.routes["/token"] = Reply(302, headers={"Location": "snssdk1233:aweme/detail/1"})
    with pytest.raises(ConsentUnavailableError):
        ask("GET", f"{server.base_url}/token")


def test_a_body_compressed_twice_is_not_decoded(server: PaidServer) -> None:
    server.routes["/token"] = Reply(200, {}, {"Content-Encoding": "identity, identity"})
    with pytest.raises(ConsentUnavailableError):
        ask("GET", f"{server.base_url}/token")


@pytest.mark.parametrize(
    ("message", "ending"),
    [
        ("API access blocked.", ConsentUnavailableError),
        (
            "API access deactivated. To reactivate, go to the app dashboard.",
            ConsentUnavailableError,
        ),
        ("(#200) Requires instagram_business_basic", ConsentEndedError),
    ],
)
def test_a_blocked_app_ends_no_consent(
    server: PaidServer, message: str, ending: type[Exception]
) -> None:
    app = App(
        client_id="id",
        client_secret=SecretStr("secret"),
        login_base_url=server.base_url,
        token_base_url=server.base_url,
        api_base_url=server.base_url,
    )
    error = {"message": message, "code": 200}
    server.routes["/refresh_access_token"] = Reply(400, {"error": error})
    later = datetime(2027, 1, 1, tzinfo=UTC)
    grant = Grant(
        scopes=(),
        access_token=SecretStr("token"),
        access_expires_at=later,
        refresh_token=None,
        expires_at=later,
    )
    with pytest.raises(ending, match="refuses the app" if "API" in message else "code 200"):
        InstagramLogin(app, routes().instagram).renew(grant)
