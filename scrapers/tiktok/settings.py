"""The schema of routes.toml, which has everything that TikTok may change without notice."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from scrapers.routes_file import RoutesFile, Section


class Pages(Section):
    """Page routes, and the marks of a page's data or a refusal."""

    profile: str
    post: str
    script_mark: str
    challenge_marks: tuple[str, ...]
    login_path: str
    login_marks: tuple[str, ...]


class Session(Section):
    """How to make the anonymous session of a fetch."""

    lowest_device_id: int
    highest_device_id: int
    mark_prefix: str


class CreatorList(Section):
    """The list of a creator's posts, and limits of paging through it."""

    path: str
    page_size: int
    step_back_ms: int
    oldest_cursor_ms: int
    repeats_before_new_session: int
    repeats: int
    pages: int
    parameters: dict[str, str]
    session: Session


class Comments(Section):
    """The list of a post's comments: its route, limits of paging, and paths."""

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


class Status(Section):
    """The platform's status codes by outcome."""

    paths: tuple[str, ...]
    not_found: frozenset[int]
    post_unavailable: frozenset[int]
    of_post_pages: frozenset[int]
    private: frozenset[int]
    login_required: frozenset[int]
    gated: frozenset[int]
    region_blocked: frozenset[int]
    challenged: frozenset[int]
    region_marks: tuple[str, ...]
    message: str
    perhaps_readable: frozenset[int]


class ProfilePaths(Section):
    """Paths of a profile's fields."""

    root: str
    user: str
    exact_stats: str
    rounded_stats: str
    follower_count: tuple[str, ...]
    following_count: tuple[str, ...]
    total_likes_count: tuple[str, ...]
    video_count: tuple[str, ...]


class PostPaths(Section):
    """Paths of a post's fields, in lists and on its page."""

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


class Order(Section):
    """Routes of a profile and of a post, named by source, the best first."""

    profile: Annotated[
        tuple[Literal["tiktok.profile_page", "tiktok.creator_embed"], ...], Field(min_length=1)
    ]
    post: Annotated[
        tuple[Literal["tiktok.post_page", "tiktok.post_embed"], ...], Field(min_length=1)
    ]


class Embeds(Section):
    """How to find an embed's data, and the code of a missing embed."""

    script_mark: str
    data: str
    missing_code: int


class CreatorEmbed(Section):
    """A profile's embed: its route, and paths of fields in the entry that begins with `key`.

    The embeds of up to `posts_asked_for_id` of its posts are read to find the account's secUid.
    """

    path: str
    key: str
    user: str
    posts: str
    posts_asked_for_id: int
    follower_count: tuple[str, ...]
    following_count: tuple[str, ...]
    total_likes_count: tuple[str, ...]


class PostEmbed(Section):
    """A post's embed: its route, and paths of fields in the entry that begins with `key`."""

    path: str
    key: str
    item: str
    author: str
    photos: str
    view_count: tuple[str, ...]
    like_count: tuple[str, ...]
    comment_count: tuple[str, ...]
    share_count: tuple[str, ...]


class PostPlayer(Section):
    """The Embed Player, which replaces embeds: its pages, its JSON, and paths of fields."""

    pages: str
    path: str
    item: str
    missing: str
    handle: tuple[str, ...]
    photos: str
    like_count: tuple[str, ...]
    comment_count: tuple[str, ...]
    share_count: tuple[str, ...]


class ListPaths(Section):
    """Paths of a page of the creator list."""

    items: str
    has_more: str


class Routes(Section):
    headers: dict[str, str]
    pages: Pages
    creator_list: CreatorList
    comments: Comments
    status: Status
    profile: ProfilePaths
    post: PostPaths
    list: ListPaths
    order: Order
    embeds: Embeds
    creator_embed: CreatorEmbed
    post_embed: PostEmbed
    post_player: PostPlayer


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml, with an operator's file merged over it."""
