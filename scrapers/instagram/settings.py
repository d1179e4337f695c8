"""The schema of routes.toml, which has everything that Instagram may change without notice."""

from pathlib import Path

from scrapers.routes_file import RoutesFile, Section


class Pages(Section):
    """Page routes, and the marks that locate a page's data."""

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
    """How to classify pages without data: by the names of their routes.

    `guest_routes` are prefixes of the usual routes. If such a page names no `content_query`, the
    guest is throttled and should pause for `throttled_seconds`.
    """

    route_pattern: str
    error_routes: frozenset[str]
    login_routes: frozenset[str]
    guest_routes: tuple[str, ...]
    content_query: str
    throttled_seconds: float


class Walls(Section):
    """Signs of a refusal: redirect targets and phrases in bodies."""

    login_paths: tuple[str, ...]
    challenge_paths: tuple[str, ...]
    challenge_marks: tuple[str, ...]
    login_marks: tuple[str, ...]
    rate_limit_codes: frozenset[int]
    login_codes: frozenset[int]
    blocked_codes: frozenset[int]
    post_missing_marks: tuple[str, ...]
    post_missing_codes: frozenset[int]


class Query(Section):
    """A guest query. The platform replaces its doc_id every few weeks.

    Pages name the current ids of their own queries; these are for the others.
    """

    name: str
    doc_id: str


class GraphQL(Section):
    """The guest query route, and limits of paging through a timeline."""

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
    """Paths of a post's comments, and limits of paging through them."""

    root: str
    connection: str
    page_size: int
    pages: int
    fruitless_pages: int
    like_count: tuple[str, ...]
    reply_count: tuple[str, ...]


class ProfilePaths(Section):
    """Paths of a profile and its tabs."""

    root: str
    timeline: str
    more_timeline: str
    reels: str


class PostPaths(Section):
    """Paths of a post and its fields.

    Without `duration`, the URLs of the `versions` have it: in the parameter `version_description`,
    under `version_duration`.
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
    headers: dict[str, str]
    pages: Pages
    shells: Shells
    walls: Walls
    graphql: GraphQL
    comments: Comments
    profile: ProfilePaths
    post: PostPaths


routes = RoutesFile(Path(__file__).with_name("routes.toml"), Routes)
"""Returns routes.toml, with an operator's file merged over it."""
