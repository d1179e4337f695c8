"""The shape of routes.toml, which holds everything that Instagram may change without notice."""

from pathlib import Path

from scrapers.routes_file import RoutesFile, Section


class Pages(Section):
    """Page routes, and the marks by which a page's data is found."""

    profile: str
    reels: str
    post: str
    script_mark: str
    stream: str
    result: str
    token_mark: str
    query_pattern: str
    description_mark: str
    posts_pattern: str
    link_shim: str


class Shells(Section):
    """How pages that come without their data are told apart: by the names of their routes.

    `guest_routes` are the usual routes' beginnings. A page of one that names no `content_query` is
    a throttled guest's, who is better away for `throttled_seconds`.
    """

    route_pattern: str
    error_routes: frozenset[str]
    login_routes: frozenset[str]
    guest_routes: tuple[str, ...]
    content_query: str
    throttled_seconds: float


class Walls(Section):
    """The signs of a refusal: where redirects lead, and what bodies say."""

    login_paths: tuple[str, ...]
    challenge_paths: tuple[str, ...]
    challenge_marks: tuple[str, ...]
    login_marks: tuple[str, ...]
    rate_limit_codes: frozenset[int]
    post_missing_marks: tuple[str, ...]


class Query(Section):
    """A guest query. Its doc_id is replaced by the platform every few weeks.

    Pages name the new ones of the queries that they ask themselves; these are for the others.
    """

    name: str
    doc_id: str


class GraphQL(Section):
    """The guest query route and the guards of paging through a timeline."""

    path: str
    prefix: str
    page_size: int
    pages: int
    fruitless_pages: int
    headers: dict[str, str]
    form: dict[str, str]
    first_posts: Query
    more_posts: Query
    post: Query
    comments: Query


class Comments(Section):
    """Where a post's comments lie, and the guards of paging through them."""

    root: str
    connection: str
    page_size: int
    pages: int
    fruitless_pages: int
    like_count: tuple[str, ...]
    reply_count: tuple[str, ...]


class ProfilePaths(Section):
    """Where a profile and its tabs lie."""

    root: str
    timeline: str
    more_timeline: str
    reels: str


class PostPaths(Section):
    """Where a post and its fields lie.

    Where `duration` is not there, the addresses of the `versions` have it: in the parameter
    `version_description`, under `version_duration`.
    """

    root: str
    open: str
    gate: str
    view_count: tuple[str, ...]
    like_count: tuple[str, ...]
    comment_count: tuple[str, ...]
    thumbnails: tuple[str, ...]
    pinned: tuple[str, ...]
    coauthors: str
    duration: str
    versions: str
    version_description: str
    version_duration: str


class Routes(Section):
    """All of routes.toml."""

    headers: dict[str, str]
    pages: Pages
    shells: Shells
    walls: Walls
    graphql: GraphQL
    comments: Comments
    profile: ProfilePaths
    post: PostPaths


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml with what the operator's file puts over it."""
