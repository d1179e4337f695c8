"""The shape of routes.toml, which holds everything that TikTok may change without notice."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from scrapers.routes_file import RoutesFile, Section


class Pages(Section):
    """Page routes, and the marks by which a page's data or a refusal is recognized."""

    profile: str
    post: str
    script_mark: str
    challenge_marks: tuple[str, ...]
    login_path: str
    login_marks: tuple[str, ...]


class Session(Section):
    """How the anonymous session of one fetch is named."""

    lowest_device_id: int
    highest_device_id: int
    mark_prefix: str


class CreatorList(Section):
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


class Comments(Section):
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


class Status(Section):
    """What the platform's status codes mean, by outcome."""

    paths: tuple[str, ...]
    not_found: frozenset[int]
    post_unavailable: frozenset[int]
    private: frozenset[int]
    login_required: frozenset[int]
    gated: frozenset[int]
    challenged: frozenset[int]
    perhaps_readable: frozenset[int]


class ProfilePaths(Section):
    """Where a profile's fields lie."""

    root: str
    user: str
    exact_stats: str
    rounded_stats: str
    follower_count: tuple[str, ...]
    following_count: tuple[str, ...]
    total_likes_count: tuple[str, ...]
    video_count: tuple[str, ...]


class PostPaths(Section):
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


class Order(Section):
    """By which routes a profile and a post are asked for, named as sources: the best first."""

    profile: Annotated[
        tuple[Literal["tiktok.profile_page", "tiktok.creator_embed"], ...], Field(min_length=1)
    ]
    post: Annotated[
        tuple[Literal["tiktok.post_page", "tiktok.post_embed"], ...], Field(min_length=1)
    ]


class Embeds(Section):
    """How the data in an embed's page is found, and the code by which one is missing."""

    script_mark: str
    data: str
    missing_code: int


class CreatorEmbed(Section):
    """A profile's embed: its route, and where its fields lie under the entry that begins so.

    The embeds of up to `posts_asked_for_id` of its posts are asked for the account's secUid.
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
    """A post's embed: its route, and where its fields lie under the entry that begins so."""

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
    """The Embed Player, which takes the embeds' place: its pages, its JSON, and what that has."""

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
    """Where the parts of a page of the creator list lie."""

    items: str
    has_more: str


class Routes(Section):
    """All of routes.toml."""

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
"""Returns routes.toml with what the operator's file puts over it."""
