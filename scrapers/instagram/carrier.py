"""Extracts query results from pages with Relay data and from query responses. Pure functions.

A result is an object with `data` and perhaps `errors`; `parse.py` reads it.
"""

import html as html_text
import re

from scrapers import payload
from scrapers.counts import LARGEST_COUNT
from scrapers.instagram import refusals
from scrapers.instagram.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json

_LONGEST_META = 3_000
_CONTENT = re.compile(r'content="([^"]*)"')
_TOKEN = re.compile(r"[\w:-]{1,100}")


def page_results(page: str, root: str, *, if_missing: Outcome) -> list[dict[str, Json]]:
    """Return the results in a page whose data has `root`, checked.

    Raises ScrapeError: blocked_silent for a page without scripts. For a page without this data the
    route's name decides; `if_missing` is the meaning of the error page.
    """
    scripts = _scripts_of(page)
    if not scripts:
        sample = payload.sample_of(page)
        raise ScrapeError(Outcome.BLOCKED_SILENT, "the page has no data", raw_sample=sample)
    streams = [script for script in scripts if routes().pages.stream in script]
    results = [result for script in streams for result in _streamed(script) if _holds(result, root)]
    if not results:
        sample = payload.sample_of("\n".join(streams) or page)
        raise refusals.page_without(root, scripts, if_missing=if_missing, sample=sample)
    for result in results:
        refusals.check_result(result, root=root)
    return results


def _scripts_of(page: str) -> list[str]:
    return list(payload.script_bodies(page, routes().pages.script_mark))


def _streamed(script: str) -> list[dict[str, Json]]:
    tree = payload.parse_json(script)
    results = (payload.at(part, routes().pages.result) for part in payload.mappings_in(tree))
    return [result for result in results if isinstance(result, dict)]


def _holds(result: dict[str, Json], root: str) -> bool:
    data = result.get("data")
    return isinstance(data, dict) and root in data


def query_result(text: str, root: str) -> dict[str, Json]:
    """Return the result of a guest query, checked. Raises ScrapeError.

    `root` is the path of the requested object under `data`.
    """
    text = text.strip().removeprefix(routes().graphql.prefix).lstrip()
    if text.startswith("<"):
        raise refusals.page_for_an_answer(text, _scripts_of(text))
    tree = payload.parse_json(text)
    if not isinstance(tree, dict):
        raise payload.schema_changed("the query's response is not an object", tree)
    refusals.check_result(tree, root=root)
    if not isinstance(tree.get("data"), dict):
        raise payload.schema_changed("the query's response has no data", tree)
    return tree


def post_result(text: str, root: str) -> dict[str, Json]:
    """Return the result of a guest query about a post; `root` is null if it is missing."""
    result = query_result(text, root)
    if not _holds(result, root):
        raise payload.schema_changed(f"the response has no {root}", result)
    return result


def token_in(page: str) -> str | None:
    """Return the page's token for guest queries, or None."""
    _, separator, rest = page.partition(routes().pages.token_mark)
    token = _TOKEN.match(rest) if separator else None
    return token[0] if token else None


def query_ids_in(page: str) -> dict[str, str]:
    """Return the ids of the page's own queries, by name."""
    return dict(re.findall(routes().pages.query_pattern, page))


def posts_in_description(page: str) -> int | None:
    """Return the number of posts in the page's description; None if it is abbreviated."""
    position = page.find(routes().pages.description_mark)
    start = page.rfind("<meta", max(0, position - _LONGEST_META), max(position, 0))
    end = page.find(">", position, position + _LONGEST_META)
    if position < 0 or start < 0 or end < 0:
        return None
    content = _CONTENT.search(page[start:end])
    description = html_text.unescape(content[1]) if content else ""
    posts = re.search(routes().pages.posts_pattern, description[:1000])
    digits = posts[1].replace(",", "") if posts else ""
    return int(digits) if 0 < len(digits) < len(str(LARGEST_COUNT)) else None
