"""Resolves short and share links with one request to the platform, without following them.

It only requests URLs built here from a checked code, on the platform's own host. A target on
another host counts as unresolved: a link cannot direct requests to another machine.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urljoin

import httpx

from scrapers.identity import USER_AGENT
from scrapers.transport.answer import is_compressed_twice
from scrapers.urls.sites import Site, followed, links_in, site_of

LIMIT_PER_REQUEST = 10
"""Short links resolved per API request (contract, Limits)."""

_TIMEOUT = httpx.Timeout(5.0)
_MAX_BODY = 64 * 1024
_NOWHERE = frozenset({"", "login", "accounts", "challenge"})
"""First path segments of useless targets: a dead link (home page) or a login wall."""
_ANCHOR = re.compile(r'<a\s[^<>]*href="(https://[^"\s]+)"', re.IGNORECASE)


class TooManyShortLinks(Exception):  # noqa: N818 - the contract's name: `too_many_short_links`
    """An API request has more short links than may be resolved."""


class ShortLinks:
    """Resolves the short links of one API request.

    `base_urls` maps a platform to another site for all its hosts (a simulator).
    """

    def __init__(
        self,
        client: httpx.Client,
        *,
        base_urls: Mapping[str, str] | None = None,
        limit: int = LIMIT_PER_REQUEST,
    ) -> None:
        self._client = client
        self._base_urls = {name: url.rstrip("/") for name, url in (base_urls or {}).items()}
        self._left = self._limit = limit
        self._targets: dict[str, str | None] = {}

    def among(self, texts: Iterable[str]) -> Sequence[str]:
        """Return the first short links among texts, up to the limit."""
        return [text for text in texts if _short_link(text)][: self._limit]

    def follow(self, links: Iterable[str]) -> None:
        """Resolve short links now, so that `resolve` sends no request."""
        for link in links:
            if link_parts := _short_link(link):
                self._target(*link_parts)

    def resolve(self, url: str) -> str | None:
        """Return the target of a short link on the platform's own site.

        None if the text is not a short link, the link is dead or leads off the platform or to a
        login page, or the platform does not respond. Raises TooManyShortLinks beyond the limit.
        """
        link_parts = _short_link(url)
        if link_parts is None:
            return None
        if self._left <= 0:
            raise TooManyShortLinks
        self._left -= 1
        return self._target(*link_parts)

    def _target(self, site: Site, canonical: str) -> str | None:
        if canonical not in self._targets:
            base_url = self._base_urls.get(site.PLATFORM, site.SITE)
            target = self._ask(site.short_link_request(canonical, base_url))
            self._targets[canonical] = _accepted(site, base_url, target) if target else None
        return self._targets[canonical]

    def _ask(self, request_url: str) -> str | None:
        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"}
        try:
            with self._client.stream(
                "GET", request_url, headers=headers, follow_redirects=False, timeout=_TIMEOUT
            ) as response:
                target = _target_of(response)
            return urljoin(request_url, target) if target else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            return None


def _short_link(text: str) -> tuple[Site, str] | None:
    """Return the site of the first short link in a text and its canonical URL, None without."""
    sites = ((site_of(link), link) for link in links_in(text) if link)
    short_links = ((site, site.short_link(link)) for site, link in sites if site)
    return next(((site, canonical) for site, canonical in short_links if canonical), None)


def _target_of(response: httpx.Response) -> str | None:
    if response.has_redirect_location:
        return response.headers["Location"]
    if response.status_code == httpx.codes.OK and not is_compressed_twice(response):
        targets = set(_ANCHOR.findall(_bounded_text(response)))
        return targets.pop() if len(targets) == 1 else None
    return None


def _bounded_text(response: httpx.Response) -> str:
    body = b""
    for chunk in response.iter_bytes(_MAX_BODY):
        body += chunk
        if len(body) >= _MAX_BODY:
            break
    return body.decode("utf-8", errors="replace")


def _accepted(site: Site, base_url: str, target: str) -> str | None:
    """Return the target on the platform's own site; None if it is dead or elsewhere."""
    if target.startswith(f"{base_url}/"):
        target = site.SITE + target.removeprefix(base_url)
    link = followed(target)
    if link is None or site_of(link) is not site or site.short_link(link):
        return None
    if link.path.strip("/").partition("/")[0] in _NOWHERE:
        return None
    return f"https://{link.host}{link.path}"
