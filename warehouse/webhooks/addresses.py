"""Where may be sent to: public addresses by https, judged when the connection is made.

A name can lead to one address when it is looked at and to another a moment later. So whoever
connects (`PublicBackend`) looks the name up, judges every address it has, and connects to one of
those and no other.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Any

import httpcore
import httpx

LONGEST_URL = 2000
HIGHEST_PORT = 65_535
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?")
_EMBEDS_IPV4 = tuple(IPv6Network(text) for text in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48"))
"""IPv6 that may lead to any IPv4 address (NAT64 and the like): none of it is public here."""

Resolve = Callable[[str, int], Iterable[str]]
"""Looks a name up: its addresses as texts. Raises OSError."""


class RefusedAddressError(ValueError):
    """Nothing may be sent there; the text says why."""


def checked_url(text: str, *, loopback: bool) -> str:
    """Return an address in its usual spelling. Raises RefusedAddressError.

    With `loopback` it may also be http, on this machine: for development.
    """
    url, host = _parsed(text)
    if url.port is not None and not 0 < url.port <= HIGHEST_PORT:
        raise RefusedAddressError("has a port that there is not")
    if url.userinfo or url.fragment:
        raise RefusedAddressError("must have neither a user nor a fragment")
    if url.scheme == "http" and not (loopback and _is_this_machine(host)):
        raise RefusedAddressError("must be an https URL")
    if address := _literal(host):
        require_public(address, loopback=loopback)
    elif not loopback and _is_this_machine(host):
        raise RefusedAddressError("leads to no public address")
    return str(url)


def require_public(text: str | IPv4Address | IPv6Address, *, loopback: bool) -> None:
    """Raise RefusedAddressError for an address that is not public."""
    address = ipaddress.ip_address(text)
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address.sixtofour or address
    if loopback and address.is_loopback:
        return
    through_nat = isinstance(address, IPv6Address) and any(
        address in network for network in _EMBEDS_IPV4
    )
    tunnelled = isinstance(address, IPv6Address) and address.teredo is not None
    if not address.is_global or address.is_multicast or through_nat or tunnelled:
        raise RefusedAddressError("leads to no public address")


def addresses_of(host: str, port: int) -> Iterable[str]:
    """Look a name up, as the system does. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]).partition("%")[0] for *_, place in found))


class PublicBackend(httpcore.NetworkBackend):
    """Connects to public addresses alone: to those that were judged, never to the name again."""

    def __init__(self, *, loopback: bool, resolve: Resolve = addresses_of) -> None:
        self._loopback = loopback
        self._resolve = resolve
        self._sync = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to an address of a host. Raises RefusedAddressError, httpcore.ConnectError."""
        try:
            addresses = list(self._resolve(host, port))
        except (OSError, UnicodeError):  # UnicodeError: a name that no resolver is asked for
            addresses = []
        if not addresses:
            raise httpcore.ConnectError("the host's name leads nowhere")
        for address in addresses:
            require_public(address, loopback=self._loopback)
        return self._sync.connect_tcp(addresses[0], port, timeout, local_address, socket_options)


def _parsed(text: str) -> tuple[httpx.URL, str]:
    """Return an https or http URL, and its host. Raises RefusedAddressError."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, UnicodeError):
        raise RefusedAddressError("is no URL") from None
    host = url.raw_host.decode()  # as it is asked for; `url.host` would undo Punycode
    if url.scheme not in {"https", "http"} or not host:
        raise RefusedAddressError("must be an https URL")
    if _NAME.fullmatch(host) is None and (_literal(host) is None or "%" in host):
        raise RefusedAddressError("has a host that is neither a name nor an address")
    return url, host


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_this_machine(host: str) -> bool:
    address = _literal(host)
    return address.is_loopback if address else host == "localhost"
