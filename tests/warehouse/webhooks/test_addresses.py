"""Messages are never sent to a private address, whatever its name resolves to and when."""

from collections.abc import Iterable

import httpcore
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fixtures.receiver import Receiver
from warehouse.webhooks.addresses import (
    PublicBackend,
    RefusedAddressError,
    checked_url,
    require_public,
)
from warehouse.webhooks.sending import Sender

PRIVATE = (
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2001::1",
    "2002:a00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "ff02::1",
    "192.0.0.8",
    "192.88.99.1",
    "::ffff:192.88.99.1",
    "::ffff:0:8.8.8.8",
    "100:0:0:1::1",
    "2001:db8::1",
    "2002:808:808::",
    "3fff::1",
    "5f00::1",
    "fec0::1",
)
PUBLIC = ("1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "::ffff:8.8.8.8")


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused(address: str) -> None:
    with pytest.raises(RefusedAddressError, match="no public address"):
        require_public(address, loopback=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_not(address: str) -> None:
    require_public(address, loopback=False)


def test_loopback_is_this_machine_and_nothing_else() -> None:
    assert checked_url("http://127.0.0.1:8000/hook", loopback=True) == "http://127.0.0.1:8000/hook"
    for url in ("http://10.0.0.1/", "http://hooks.test.invalid/", "https://192.168.0.1/"):
        with pytest.raises(RefusedAddressError):
            checked_url(url, loopback=True)


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "a.0x", "1."])
def test_a_host_that_resolvers_read_as_a_number_is_refused(host: str) -> None:
    with pytest.raises(RefusedAddressError, match=r"neither a name|not a URL"):
        checked_url(f"https://{host}/", loopback=False)


class Names:
    """Resolves every name to each answer in turn."""

    def __init__(self, *answers: Iterable[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, _port: int) -> Iterable[str]:
        self.asked.append(host)
        return self.answers.pop(0)


class Watched(httpcore.MockBackend):
    """Records addresses without connecting."""

    def __init__(self) -> None:
        super().__init__([])
        self.connected: list[str] = []
        self.timeouts: list[float] = []

    def connect_tcp(
        self, host: str, _port: int, timeout: float | None = None, *_: object, **__: object
    ) -> httpcore.NetworkStream:
        self.connected.append(host)
        self.timeouts.append(timeout or 0.0)
        raise httpcore.ConnectError


class TestSeveralAddresses:
    def test_the_next_one_is_tried_if_one_is_dead(self, receiver: Receiver) -> None:
        sender = Sender(loopback=True, resolve=Names(["::1", "127.0.0.1"]))
        assert sender.post(f"http://localhost:{receiver.port}/hook", {}, b"{}").was_accepted

    def test_each_has_its_share_of_the_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        watched, names = Watched(), Names(["93.184.215.14", "1.1.1.1", "8.8.8.8"])
        backend = PublicBackend(loopback=False, resolve=names)
        monkeypatch.setattr(backend, "_sync", watched)
        with pytest.raises(httpcore.ConnectError):
            backend.connect_tcp("several.test.invalid", 443, 15.0)
        assert watched.connected == ["93.184.215.14", "1.1.1.1", "8.8.8.8"]
        assert watched.timeouts == pytest.approx([5.0, 7.5, 15.0], abs=1.0)


class TestRebinding:
    def test_the_checked_address_is_dialled_and_the_name_resolved_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A second lookup would resolve to this machine."""
        watched, names = Watched(), Names(["93.184.215.14"], ["127.0.0.1"])
        backend = PublicBackend(loopback=False, resolve=names)
        monkeypatch.setattr(backend, "_sync", watched)
        with pytest.raises(httpcore.ConnectError):
            backend.connect_tcp("rebinding.test.invalid", 443)
        assert watched.connected == ["93.184.215.14"]
        assert names.asked == ["rebinding.test.invalid"]

    def test_a_name_that_turned_private_is_refused_at_the_next_message(
        self, receiver: Receiver
    ) -> None:
        sender = Sender(loopback=False, resolve=Names(["127.0.0.1"]))
        url = f"https://rebinding.test.invalid:{receiver.port}/hook"
        assert sender.post(url, {}, b"{}").error == "the address leads to no public address"
        assert receiver.received == []

    def test_one_private_address_among_public_ones_is_refused(self) -> None:
        sender = Sender(loopback=False, resolve=Names(["93.184.215.14", "10.0.0.1"]))
        answer = sender.post("https://mixed.test.invalid/", {}, b"{}")
        assert answer.error == "the address leads to no public address"

    def test_private_addresses_in_other_notations_are_refused(self, receiver: Receiver) -> None:
        for host in ("2130706433", "0x7f.1", "127.1", "localhost"):
            answer = Sender(loopback=False).post(f"http://{host}:{receiver.port}/", {}, b"{}")
            assert answer.error in {
                "the address leads to no public address",
                "no connection: the host's name cannot be resolved",
            }
        assert receiver.received == []

    def test_the_host_header_has_the_name_and_the_checked_address_is_dialled(
        self, receiver: Receiver
    ) -> None:
        names = Names(["127.0.0.1"], [])
        url = f"http://hooks.test.invalid:{receiver.port}/hook"
        sender = Sender(loopback=True, resolve=names)
        assert sender.post(url, {"webhook-id": "1"}, b"{}").status == 204
        assert receiver.received[0].headers["host"] == f"hooks.test.invalid:{receiver.port}"
        assert (
            sender.post(url, {}, b"{}").error == "no connection: the host's name cannot be resolved"
        )

    @pytest.mark.parametrize("host", ["x" * 70 + ".invalid", "a..invalid"])
    def test_unresolvable_names_are_refused(self, host: str) -> None:
        answer = Sender(loopback=False).post(f"https://{host}/", {}, b"{}")
        assert answer.error == "no connection: the host's name cannot be resolved"


URLS = st.one_of(
    st.text(max_size=60),
    st.builds("https://{}".format, st.text(max_size=40)),
    st.builds("http://{}:{}/{}".format, st.text(max_size=20), st.integers(), st.text(max_size=9)),
    st.builds("https://[{}]/".format, st.text("0123456789abcdef:%.", max_size=30)),
)


@given(text=URLS)
@example(text="https://[")
@example(text="https://[::1%25eth0]/")
@example(text="https://[::1%é]/")
@example(text="https://\u2488.example/")
@example(text="https://xn--/")
@example(text="//hooks.test.invalid")
def test_whatever_is_sent_is_an_address_or_refused(text: str) -> None:
    """An accepted URL is accepted again, unchanged."""
    try:
        url = checked_url(text, loopback=False)
    except RefusedAddressError:
        return
    assert url.startswith("https://")
    assert checked_url(url, loopback=False) == url
