"""Signatures are those of the Standard Webhooks specification."""

import base64
import hashlib
import hmac
from uuid import UUID

from tests.fixtures.api import NOW
from warehouse.webhooks.signing import headers_of, new_secret, signature


def test_the_published_example_of_the_specification() -> None:
    """The one that its reference libraries test themselves with."""
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
