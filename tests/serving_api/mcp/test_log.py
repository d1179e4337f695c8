"""Refused messages leave no error, no traceback and none of their own text in the log."""

import logging
from typing import Any

import pytest

from tests.fixtures.agents import Agent
from tests.fixtures.api import Tenant

SENT = "sent" * 20_000
NOTES = "tracker://notes/creator/"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": SENT, "arguments": {}}),
        ("tools/call", {"name": "creators_get", "arguments": {"creator_id": SENT}}),
        ("tools/call", {"name": "creators_create", "arguments": {"body": {SENT: SENT}}}),
        ("tools/call", {"name": "call_read_tool", "arguments": {"name": SENT}}),
        ("resources/read", {"uri": NOTES + SENT}),
        ("resources/read", {"uri": NOTES + SENT[:30]}),
        ("resources/read", {"uri": SENT}),
        ("resources/list", {"cursor": SENT}),
        ("prompts/get", {"name": SENT}),
        ("prompts/get", {"name": "payout_explanation", "arguments": {SENT: SENT}}),
        (SENT, {}),
    ],
)
def test_a_refused_message_is_not_logged(
    tenant: Tenant, caplog: pytest.LogCaptureFixture, method: str, params: dict[str, Any]
) -> None:
    caplog.set_level(logging.INFO)
    with Agent(tenant.api, tenant.made.api_key) as agent:
        assert agent.message(method, **params).status_code < 500
    libraries = [each for each in caplog.records if each.name.startswith(("fastmcp", "mcp"))]
    assert [each.getMessage() for each in libraries] == []
    assert SENT[:30] not in caplog.text


def test_a_prompt_names_its_missing_argument(tenant: Tenant) -> None:
    with Agent(tenant.api, tenant.made.api_key) as agent:
        error = agent.message("prompts/get", name="payout_explanation").json()["error"]
    assert (error["code"], "creator" in error["message"]) == (-32602, True)
