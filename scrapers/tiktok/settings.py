"""The shape of routes.toml, which holds everything that TikTok may change without notice."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

ROUTES_PATH = Path(__file__).with_name("routes.toml")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Pages(_Section):
    """Page routes, and the marks by which a page's data or a refusal is recognized."""

    profile: str
    post: str
    script_mark: str
    challenge_marks: tuple[str, ...]
    login_path: str


class Session(_Section):
    """How the anonymous session of one look is named."""

    lowest_device_id: int
    highest_device_id: int
    mark_prefix: str


class CreatorList(_Section):
    """The list of a creator's posts and the guards of paging through it."""

    path: str
    page_size: int
    step_back_ms: int
    oldest_cursor_ms: int
    repeats_before_new_session: int
    repeats: int
    pages: int
    parameters: dict[str, str]
    session: Session


class Comments(_Section):
    """The list of a post's comments: its route, the guards of paging, and where its parts lie."""

    path: str
    page_size: int
    pages: int
    fruitless_pages: int
    items: str
    has_more: str
    cursor: str
    total: str
    like_count: tuple[str, ...]
    reply_count: tuple[str, ...]
    parameters: dict[str, str]


class Status(_Section):
    """What the platform's status codes mean, by outcome."""

    paths: tuple[str, ...]
    not_found: frozenset[int]
    post_unavailable: frozenset[int]
    private: frozenset[int]
    login_required: frozenset[int]
    gated: frozenset[int]
    challenged: frozenset[int]
    perhaps_readable: frozenset[int]


class ProfilePaths(_Section):
    """Where a profile's fields lie."""

    root: str
    user: str
    exact_stats: str
    rounded_stats: str
    follower_count: tuple[str, ...]
    following_count: tuple[str, ...]
    total_likes_count: tuple[str, ...]
    video_count: tuple[str, ...]


class PostPaths(_Section):
    """Where a post's fields lie, in a list and on its page alike."""

    root: str
    item: str
    exact_stats: str
    rounded_stats: str
    view_count: tuple[str, ...]
    like_count: tuple[str, ...]
    comment_count: tuple[str, ...]
    share_count: tuple[str, ...]
    save_count: tuple[str, ...]
    thumbnails: tuple[str, ...]


class ListPaths(_Section):
    """Where the parts of a page of the creator list lie."""

    items: str
    has_more: str


class Routes(_Section):
    """All of routes.toml."""

    headers: dict[str, str]
    pages: Pages
    creator_list: CreatorList
    comments: Comments
    status: Status
    profile: ProfilePaths
    post: PostPaths
    list: ListPaths


@cache
def routes() -> Routes:
    """Return routes.toml, read once. Raises pydantic's ValidationError if it is malformed."""
    with ROUTES_PATH.open("rb") as file:
        return Routes.model_validate(tomllib.load(file))
