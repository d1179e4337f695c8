"""The error envelope decides the outcome, whatever the HTTP status."""

import json
from typing import Any

import pytest

from scrapers.instagram_graph.client import accepted
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.transport.answer import Answer

LIMIT = {
    "message": "(#4) Application request limit reached",
    "type": "OAuthException",
    "code": 4,
    "is_transient": True,
    "fbtrace_id": "Aabc",
}


def refusal(body: Any, status: int = 400) -> ScrapeError:
    text = body if isinstance(body, str) else json.dumps(body)
    with pytest.raises(ScrapeError) as error:
        accepted(Answer(status, text.encode()))
    return error.value


def test_an_object_is_an_answer() -> None:
    assert accepted(Answer(200, b'{"id": "1"}')) == {"id": "1"}


@pytest.mark.parametrize(
    ("code", "subcode", "outcome"),
    [
        (4, None, Outcome.RATE_LIMITED),
        (17, None, Outcome.RATE_LIMITED),
        (32, None, Outcome.RATE_LIMITED),
        (613, None, Outcome.RATE_LIMITED),
        (80002, 2207051, Outcome.RATE_LIMITED),
        (110, 2207013, Outcome.OUT_OF_REACH),
        (24, 2207013, Outcome.OUT_OF_REACH),
        (110, None, Outcome.OUT_OF_REACH),
        (190, 463, Outcome.LOGIN_REQUIRED),
        (102, None, Outcome.LOGIN_REQUIRED),
        (10, None, Outcome.LOGIN_REQUIRED),
        (200, None, Outcome.LOGIN_REQUIRED),
        (2, None, Outcome.UNREACHABLE),
        (100, None, Outcome.SCHEMA_CHANGED),
        (99999, 1, Outcome.SCHEMA_CHANGED),
        (None, None, Outcome.SCHEMA_CHANGED),
        ("4", None, Outcome.RATE_LIMITED),
        ([4], {}, Outcome.SCHEMA_CHANGED),
    ],
)
def test_codes(code: Any, subcode: Any, outcome: Outcome) -> None:
    error = {**LIMIT, "code": code, "error_subcode": subcode}
    assert refusal({"error": error}).outcome is outcome
    assert refusal({"error": error}, 200).outcome is outcome


def test_the_detail_has_the_fix_and_the_apis_message() -> None:
    body = {"message": "Error validating access token: Session has expired", "code": 190}
    error = refusal({"error": {**body, "error_subcode": 463}}, 401)
    assert error.detail == (
        "the access token is refused, renew it "
        "(code 190/463: Error validating access token: Session has expired)"
    )
    assert error.http_status == 401
    assert "Session has expired" in str(error.raw_sample)


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (200, "", Outcome.BLOCKED_SILENT),
        (200, "  ", Outcome.BLOCKED_SILENT),
        (200, "<html></html>", Outcome.BLOCKED_SILENT),
        (200, "[1]", Outcome.SCHEMA_CHANGED),
        (200, "null", Outcome.SCHEMA_CHANGED),
        (200, '{"error": "odd"}', Outcome.SCHEMA_CHANGED),
        (200, '{"error": null}', Outcome.SCHEMA_CHANGED),
        (400, '{"business_discovery": {}}', Outcome.SCHEMA_CHANGED),
        (401, "", Outcome.LOGIN_REQUIRED),
        (404, "<html></html>", Outcome.SCHEMA_CHANGED),
    ],
)
def test_answers_without_an_envelope(status: int, body: str, outcome: Outcome) -> None:
    error = refusal(body, status)
    assert (error.outcome, error.http_status) == (outcome, status)


def test_a_redirect_is_no_response_of_this_api() -> None:
    with pytest.raises(ScrapeError, match="redirected to /login") as error:
        accepted(Answer(302, b"", redirect_path="/login", stays_on_site=True))
    assert error.value.outcome is Outcome.SCHEMA_CHANGED
