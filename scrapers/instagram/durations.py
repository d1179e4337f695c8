"""How long a video is, read off the addresses of its versions. Pure.

Guests are not told a post's length, but each version's address carries a description of the file
in base 64 (`efg`), and the length is in it.
"""

import binascii
import json
from base64 import urlsafe_b64decode
from urllib.parse import parse_qs, urlsplit

from scrapers.instagram.settings import routes
from scrapers.payload import Json, at, seconds_at

_LONGEST = 2_000
_TO_URL_SAFE = str.maketrans("+/ ", "-_-")


def seconds_of(node: dict[str, Json]) -> int | None:
    """Return the length of a post's video in seconds; None where it is not told, never an error."""
    told = seconds_at(node, routes().post.duration)
    versions = at(node, routes().post.versions)
    if told is not None or not isinstance(versions, list):
        return told
    lengths = (_in_address(at(version, "url")) for version in versions)
    return next((length for length in lengths if length is not None), None)


def _in_address(url: Json) -> int | None:
    if not isinstance(url, str):
        return None
    try:
        values = parse_qs(urlsplit(url).query).get(routes().post.version_description, [""])
        description = values[0][:_LONGEST].rstrip("=").translate(_TO_URL_SAFE)
        padded = description + "=" * (-len(description) % 4)
        tree = json.loads(urlsafe_b64decode(padded))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return seconds_at(tree, routes().post.version_duration)
