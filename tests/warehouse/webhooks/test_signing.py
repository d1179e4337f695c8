"""Signatures follow the Standard Webhooks specification."""

import base64
import hashlib
import hmac
import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from tests.docs.pages import blocks
from tests.fixtures.api import NOW
from warehouse.settings import REPOSITORY
from warehouse.webhooks.signing import headers_of, new_secret, signature

GUIDE = "docs/guides/webhooks.md"


def test_the_published_example_of_the_specification() -> None:
    """Its reference libraries use the same example."""
    signed = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "1614265330",
        b'{"test": 2432232314}',
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_has_as_many_bytes_as_the_specification_asks_for() -> None:
    secret = new_secret()
    prefix, _, key = secret.partition("_")
    assert prefix == "whsec"
    assert 24 <= len(base64.b64decode(key, validate=True)) <= 64
    assert secret != new_secret()


def test_each_secret_signs() -> None:
    keys = [new_secret(), new_secret()]
    headers = headers_of(UUID(int=7), b"{}", NOW, keys)
    assert headers["webhook-timestamp"] == str(int(NOW.timestamp()))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + b"{}"
    for key, signed in zip(keys, headers["webhook-signature"].split(" "), strict=True):
        secret = base64.b64decode(key.removeprefix("whsec_"))
        digest = hmac.new(secret, content, hashlib.sha256).digest()
        assert signed == "v1," + base64.b64encode(digest).decode()


def test_the_guides_sample_verifies_by_its_code_and_ours() -> None:
    headers, body, key = sample()
    [source] = blocks(GUIDE, "python")
    page: dict[str, Any] = {}
    exec(source, page)
    sent_at = float(headers["webhook-timestamp"])
    arguments = (headers, body, key)
    assert page["is_genuine"](*arguments, now=sent_at + 299)
    assert not page["is_genuine"](*arguments, now=sent_at + 301)
    assert not page["is_genuine"](*arguments)
    assert not page["is_genuine"](headers, body.replace(b"12500", b"12501"), key, now=sent_at)
    assert not page["is_genuine"](headers, body, new_secret(), now=sent_at)
    two = {**headers, "webhook-signature": "v1,AAAA " + headers["webhook-signature"]}
    assert page["is_genuine"](two, body, key, now=sent_at)
    for name in headers:
        lacking = {other: value for other, value in headers.items() if other != name}
        assert not page["is_genuine"](lacking, body, key, now=sent_at)
        for hostile in ("", "v1,\xe4 \udce4", "9" * 400, "9" * 5000):
            assert not page["is_genuine"]({**lacking, name: hostile}, body, key, now=sent_at)
    instant = datetime.fromtimestamp(sent_at, UTC)
    assert headers_of(UUID(headers["webhook-id"]), body, instant, [key]) == headers


def sample() -> tuple[dict[str, str], bytes, str]:
    """Return headers and body of the guide's message, and the secret that signs it."""
    [message] = blocks(GUIDE, "http")
    head, _, body = message.partition("\n\n")
    [key] = set(re.findall(r"whsec_[\w=]{20,}", (REPOSITORY / GUIDE).read_text("utf-8")))
    return dict(line.split(": ") for line in head.splitlines()), body.strip().encode(), key
