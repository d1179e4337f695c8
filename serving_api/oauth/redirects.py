"""Redirect URIs: which are acceptable, and when two are equal.

HTTPS, or HTTP on the user's own machine (RFC 8252), matching a registered one exactly. Only the
port of a local URI may differ, because apps use any free port.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlencode, urlsplit

LONGEST = 1_000

_LOOPBACK = r"127\.0\.0\.1|\[::1\]|localhost"
_NAME = r"(?=.{1,253}(?:[:/?]|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
_REST = r"(?P<rest>(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?)"
_PORT = r"(:[0-9]{1,5})?"
_LOCAL = re.compile(rf"(?P<start>http://({_LOOPBACK})){_PORT}{_REST}")
_SECURE = re.compile(rf"https://{_NAME}{_PORT}{_REST}")


def is_acceptable(uri: str) -> bool:
    """Return whether a redirect URI is acceptable: no fragment, user name, or other scheme."""
    if len(uri) > LONGEST or not (_LOCAL.fullmatch(uri) or _SECURE.fullmatch(uri)):
        return False
    try:
        return urlsplit(uri).port != 0
    except ValueError:
        return False


def is_registered(uri: str, registered: Iterable[str]) -> bool:
    return is_acceptable(uri) and _but_for_port(uri) in map(_but_for_port, registered)


def is_local(uri: str) -> bool:
    """Return whether an acceptable URI is on the user's own machine."""
    return _LOCAL.fullmatch(uri) is not None


def origin_of(uri: str) -> str:
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}"


def source_of(uri: str) -> str:
    """Return the origin as a Content-Security-Policy source, which cannot be an IPv6 address."""
    return "http:" if "[" in urlsplit(uri).netloc else origin_of(uri)


def with_answer(uri: str, answer: dict[str, str]) -> str:
    """Return the URI with the response added to its query."""
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode(answer)}"


def _but_for_port(uri: str) -> str:
    local = _LOCAL.fullmatch(uri)
    return f"{local['start']}{local['rest']}" if local else uri
