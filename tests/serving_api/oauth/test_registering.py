"""Registering a program: allowed metadata, rate limits, and expiry."""

import httpx
import pytest

from serving_api.page_forms import MAX_BYTES
from tests.fixtures.api import Api
from tests.fixtures.programs import error_of


@pytest.mark.parametrize(
    "as_fields",
    [
        [],
        {},
        {"redirect_uris": []},
        {"redirect_uris": "https://app.example/"},
        {"redirect_uris": [7]},
        {"redirect_uris": ["https://app.example/"] * 11},
        {"redirect_uris": ["https://app.example/" + "a" * 1000]},
        {"redirect_uris": ["http://app.example/"]},
        {"redirect_uris": ["https://user@app.example/"]},
        {"redirect_uris": ["https://app.example/#part"]},
        {"redirect_uris": ["https://app.example/; script-src *"]},
        {"redirect_uris": ["https://app.example;script-src/"]},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": ["data:text/html,x"]},
        {"redirect_uris": ["https://*/"]},
        {"redirect_uris": ["https:///path"]},
        {"redirect_uris": ["https://app.example/"], "client_name": "n" * 101},
        {"redirect_uris": ["https://app.example/"], "client_name": "a\u0000"},
        {"redirect_uris": ["https://app.example/"], "client_name": "\u202efdp"},
        {"redirect_uris": ["https://app.example/"], "client_name": 7},
        {"redirect_uris": ["https://app.example/"], "grant_types": ["client_credentials"]},
        {"redirect_uris": ["https://app.example/"], "response_types": ["token"]},
    ],
)
def test_nonsense_is_refused(api: Api, as_fields: object) -> None:
    refused = httpx.post(
        f"{api.base_url}/oauth/register", json=as_fields, trust_env=False, verify=False
    )
    assert error_of(refused) in {"invalid_redirect_uri", "invalid_client_metadata"}


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 10_000, b"\xff"])
def test_invalid_json_is_refused(api: Api, body: bytes) -> None:
    refused = httpx.post(
        f"{api.base_url}/oauth/register", content=body, trust_env=False, verify=False
    )
    assert error_of(refused) == "invalid_client_metadata"


def test_half_a_character_is_refused(api: Api) -> None:
    body = rb'{"redirect_uris": ["https://app.example/"], "client_name": "a\ud800"}'
    url = f"{api.base_url}/oauth/register"
    refused = httpx.post(url, content=body, trust_env=False, verify=False)
    assert error_of(refused) == "invalid_client_metadata"


def test_a_large_one_is_refused(api: Api) -> None:
    url = f"{api.base_url}/oauth/register"
    assert (
        httpx.post(url, content=b"x" * (MAX_BYTES + 1), trust_env=False, verify=False).status_code
        == 413
    )


def test_a_program_gets_no_secret(api: Api) -> None:
    body = {
        "redirect_uris": ["https://app.example/callback"],
        "token_endpoint_auth_method": "client_secret_basic",
    }
    made = httpx.post(
        f"{api.base_url}/oauth/register", json=body, trust_env=False, verify=False
    ).json()
    assert made["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in made
