"""Permitted webhook addresses: public ones over https, checked when connecting.

A name may resolve to different addresses a moment apart. So the code that connects
(`PublicBackend`) resolves the name, checks all its addresses, and connects to one of those only:
the first that answers.
"""

import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any

import httpcore
import httpx

LONGEST_URL = 2000
HIGHEST_PORT = 65_535
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?")
_LAST_LABEL_IS_A_NUMBER = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)\.?")
"""Resolvers read such a host as an IPv4 address, in any form (as the URL Standard says)."""
_PUBLIC_IPV6 = IPv6Network("2000::/3")
"""All assigned global addresses. Those that embed IPv4 (NAT64, except `::ffff:0:0/96`) are
elsewhere.
"""
_SPECIAL = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
) + tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))
"""Not public by the special-purpose registries; Python 3.11 considers some of them global."""

Resolve = Callable[[str, int], Iterable[str]]
"""Resolves a name to its addresses as text. Raises OSError."""


class RefusedAddressError(ValueError):
    """Nothing may be sent to the address; the text says why."""


def checked_url(text: str, *, loopback: bool) -> str:
    """Return an address in its normal form. Raises RefusedAddressError.

    With `loopback` it may also be http on this machine, for development.
    """
    url, host = _parsed(text)
    if url.port is not None and not 0 < url.port <= HIGHEST_PORT:
        raise RefusedAddressError("has an invalid port")
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
    address = ipaddress.ip_address(text)
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if not (_is_public(address) or (loopback and address.is_loopback)):
        raise RefusedAddressError("leads to no public address")


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if any(address in network for network in _SPECIAL):
        return False
    if isinstance(address, IPv6Address) and address not in _PUBLIC_IPV6:
        return False
    return address.is_global and not address.is_multicast


def addresses_of(host: str, port: int) -> Iterable[str]:
    """Resolve a name with the system's resolver. Raises OSError."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(
        dict.fromkeys(str(address_info[0]).partition("%")[0] for *_, address_info in entries)
    )


class PublicBackend(httpcore.NetworkBackend):
    """Connects only to public addresses: to a checked address, without resolving the name again."""

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
        """Connect to a host's first address that answers; each gets its share of the time.

        Raises RefusedAddressError, httpcore.ConnectError, httpcore.ConnectTimeout.
        """
        try:
            addresses = list(self._resolve(host, port))
        except (OSError, UnicodeError):  # UnicodeError: a name that no resolver is asked for
            addresses = []
        for address in addresses:
            require_public(address, loopback=self._loopback)
        until = None if timeout is None else time.monotonic() + timeout
        for left in range(len(addresses), 0, -1):
            share = None if until is None else max(until - time.monotonic(), 0.001) / left
            try:
                return self._sync.connect_tcp(
                    addresses[-left], port, share, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if left == 1:
                    raise
        raise httpcore.ConnectError("the host's name cannot be resolved")


def _parsed(text: str) -> tuple[httpx.URL, str]:
    """Return an https or http URL and its host. Raises RefusedAddressError."""
    try:
        url = httpx.URL(text)
        host = url.raw_host.decode()  # as it is asked for; `url.host` would undo Punycode
    except (httpx.InvalidURL, UnicodeError):
        raise RefusedAddressError("is not a URL") from None
    if url.scheme not in {"https", "http"} or not host:
        raise RefusedAddressError("must be an https URL")
    is_name = _NAME.fullmatch(host) and not _LAST_LABEL_IS_A_NUMBER.fullmatch(host)
    if not is_name and (_literal(host) is None or "%" in host):
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
