"""Messages need HTTPS and a certificate for the host name, although an address is dialled."""

import re
import ssl
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fixtures.certificates import Authority
from tests.fixtures.receiver import listening
from tests.warehouse.webhooks.conftest import Hooks
from warehouse.webhooks.sending import Answer, Sender

HOST = "hooks.test.invalid"
PAST, TO_COME = datetime(2021, 1, 1, tzinfo=UTC), datetime(2119, 1, 1, tzinfo=UTC)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """A certificate authority that this process trusts, as an operator configures it."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    return made


def this_machine(_host: str, _port: int) -> Iterable[str]:
    return ["127.0.0.1"]


def sender() -> Sender:
    return Sender(loopback=True, resolve=this_machine)


def posted(tls: ssl.SSLContext, host: str = HOST) -> tuple[Answer, int]:
    """Return the response of a receiver with this certificate, and how many messages it got."""
    with listening(tls) as receiver:
        answer = sender().post(receiver.url_of(host), {"webhook-id": "1"}, b"{}")
        return answer, len(receiver.received)


def test_the_name_is_requested_and_its_certificate_accepted(authority: Authority) -> None:
    names: list[str | None] = []
    tls = authority.server("other.test.invalid", HOST)
    tls.sni_callback = lambda _socket, name, _context: names.append(name)
    assert posted(tls) == (Answer(204, ""), 1)
    assert names == [HOST]


def test_an_ip_address_may_have_a_certificate(authority: Authority) -> None:
    assert posted(authority.server("127.0.0.1"), "127.0.0.1") == (Answer(204, ""), 1)


@pytest.mark.parametrize(
    ("names", "host", "reason"),
    [
        (["other.test.invalid"], HOST, f"certificate is not valid for '{HOST}'"),
        (["127.0.0.1"], HOST, f"certificate is not valid for '{HOST}'"),
        (["*.invalid"], HOST, f"certificate is not valid for '{HOST}'"),
        ([HOST], "127.0.0.1", "certificate is not valid for '127.0.0.1'"),
    ],
)
def test_another_hosts_certificate_is_refused(
    authority: Authority, names: list[str], host: str, reason: str
) -> None:
    """A certificate for the dialled address is refused too: users trust the name."""
    answer, received = posted(authority.server(*names), host)
    assert answer.error.startswith("its certificate is refused: ")
    assert reason in answer.error
    assert received == 0


def test_an_expired_or_not_yet_valid_certificate_is_refused(authority: Authority) -> None:
    ended = Answer(error="its certificate is refused: certificate has expired")
    assert posted(authority.server(HOST, ends=PAST)) == (ended, 0)
    early = Answer(error="its certificate is refused: certificate is not yet valid")
    assert posted(authority.server(HOST, began=TO_COME)) == (early, 0)


def test_a_certificate_of_an_unknown_authority_is_refused(authority: Authority) -> None:
    answer, received = posted(authority.server(HOST, vouched=False))
    assert re.fullmatch("its certificate is refused: self.signed certificate", answer.error or "")
    assert received == 0
    stranger = Authority(authority.folder, "strangers")
    answer, received = posted(stranger.server(HOST))
    assert answer == Answer(
        error="its certificate is refused: unable to get local issuer certificate"
    )
    assert received == 0


def test_a_server_without_tls_is_reported() -> None:
    with listening() as receiver:
        url = receiver.url_of(HOST).replace("http:", "https:")
        answer = sender().post(url, {}, b"{}")
    assert answer.error.startswith("no connection: ")
    assert receiver.received == []


def test_the_log_has_the_reason_and_a_fixed_endpoint_gets_the_message(
    hooks: Hooks, authority: Authority
) -> None:
    with listening(authority.server(HOST, ends=PAST)) as expired:
        endpoint_id, secret = hooks.endpoint(expired, url=expired.url_of(HOST))
        hooks.record(hooks.event())
        assert hooks.deliver(sender()) == {"failed": 1}
    [delivery] = hooks.deliveries()
    assert delivery.error == "its certificate is refused: certificate has expired"
    with listening(authority.server(HOST)) as renewed:
        hooks.move(endpoint_id, renewed.url_of(HOST))
        hooks.now = delivery.next_attempt_at
        assert hooks.deliver(sender()) == {"arrived": 1}
    [message] = renewed.received
    assert message.is_signed_with(secret)
    assert message.headers["host"] == f"{HOST}:{renewed.port}"
