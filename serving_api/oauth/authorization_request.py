"""An app's authorization request, repeated in the query of each page, and redirect URIs.

A redirect URI is HTTPS, or HTTP on the user's own machine (RFC 8252), matching a registered one
exactly. Only the port of a local URI may differ, because apps use any free port.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import InvalidRequest
from serving_api.oauth.metadata import SCOPES
from serving_api.oauth.refusals import Refusal
from warehouse.operational.models import OauthClient

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


DEFAULT_SCOPES = ("read", "write")
"""Default scopes: those that need no organization admin."""

UNKNOWN_PROGRAM = "Unknown app. Remove it where you use it and connect it again."
LONGEST_QUERY = 8_000
_S256 = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_STATE = re.compile(r"[ -~]*", re.ASCII)

Parameters = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """An authorization request of a known client with a registered redirect URI."""

    client: OauthClient
    redirect_uri: str
    values: dict[str, str]
    repeats: bool
    resource: str
    issuer: str

    @property
    def scopes(self) -> tuple[str, ...]:
        """The requested scopes, weakest first."""
        requested = self.values.get("scope", "").split() or DEFAULT_SCOPES
        return tuple(scope for scope in SCOPES if scope in requested)

    @property
    def code_challenge(self) -> str:
        """The PKCE challenge (S256)."""
        return self.values["code_challenge"]

    def address_with(self, **answer: str) -> str:
        """Return the redirect URI with the response and the issuer (RFC 9207)."""
        state = {"state": self.values["state"]} if "state" in self.values else {}
        return with_answer(self.redirect_uri, {**answer, **state, "iss": self.issuer})

    def check(self) -> None:
        """Raise Refusal for errors that may be sent to the redirect URI."""
        values = self.values
        if self.repeats:
            raise Refusal("invalid_request", "A parameter is repeated")
        if not _STATE.fullmatch(values.get("state", "")):
            raise Refusal("invalid_request", "state must be printable ASCII")
        if values.get("response_type") != "code":
            raise Refusal("unsupported_response_type", "response_type must be code")
        if values.get("code_challenge_method") != "S256":
            raise Refusal("invalid_request", "code_challenge_method must be S256")
        if not _S256.fullmatch(values.get("code_challenge", "")):
            raise Refusal("invalid_request", "code_challenge must be an S256 challenge (PKCE)")
        if not set(values.get("scope", "").split()) <= set(SCOPES):
            raise Refusal("invalid_scope", f"scope: use {' '.join(SCOPES)}")
        require_resource(values, self.resource)


def read_asking(session: Session, query: Parameters, *, resource: str, issuer: str) -> Asking:
    """Parse an authorization request.

    A parameter without a value counts as omitted (RFC 6749, section 3.1). Raises InvalidRequest
    for an unknown client or redirect URI, without redirecting.
    """
    values = {name: value for name, value in query if value}
    if sum(len(name) + len(value) for name, value in query) > LONGEST_QUERY:
        raise InvalidRequest("The app's request is too long")
    names = [name for name, _ in query if name != "resource"]
    client = find_client(session, values.get("client_id", ""))
    if client is None or names.count("client_id") > 1:
        raise InvalidRequest(UNKNOWN_PROGRAM)
    uri = values.get("redirect_uri", "")
    if not is_registered(uri, client.redirect_uris) or names.count("redirect_uri") > 1:
        raise InvalidRequest("The app requested a redirect to an address that it did not register.")
    resources = {value for name, value in query if name == "resource"}
    return Asking(
        client=client,
        redirect_uri=uri,
        values=values,
        repeats=len(names) != len(set(names)) or len(resources) > 1,
        resource=resource,
        issuer=issuer,
    )


def find_client(session: Session, client_id: str) -> OauthClient | None:
    try:
        return session.get(OauthClient, UUID(client_id))
    except ValueError:
        return None


def require_resource(values: Mapping[str, str], resource: str) -> None:
    """Raise Refusal if the token is requested for another resource (RFC 8707)."""
    if values.get("resource", resource) != resource:
        raise Refusal("invalid_target", f"resource: must be {resource}")
