"""Reads Instagram's responses. Pure functions: text in, snapshots or ScrapeError out.

In responses to guests `pk` is the Instagram id and `id` the Facebook-side one.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

from scrapers import payload
from scrapers.discovery import TimelinePage, read_each
from scrapers.findings import ListedPost, is_coauthor
from scrapers.instagram import carrier
from scrapers.instagram.media import Reading, video_of
from scrapers.instagram.settings import routes
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json, at, count_at, flag_at, id_at, name_at, text_at, web_url_at
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from scrapers.urls.instagram import PLATFORM

PROFILE_PAGE = "instagram.profile_page"
TIMELINE = "instagram.timeline"
REELS_TAB = "instagram.reels_tab"
POST_PAGE = "instagram.post_page"
POST_QUERY = "instagram.post_query"


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """A profile's page: the account, and the first page of its timeline if included."""

    account: AccountSnapshot
    timeline: TimelinePage | None


def parse_profile_page(page: str, *, handle: str, captured_at: datetime) -> ProfilePage:
    """Read a profile's page. Raises ScrapeError; a private profile still shows its counts."""
    root = routes().profile.root
    results = carrier.page_results(page, root, if_missing=Outcome.NOT_FOUND)
    users = [user for result in results if (user := payload.mapping_at(result, f"data/{root}"))]
    if not users:
        raise ScrapeError(Outcome.NOT_FOUND, "no such user")
    described = next((user for user in users if "follower_count" in user), users[0])
    account = _account(described, page, handle, captured_at)
    where = routes().profile.timeline
    timeline = next((tab for user in users if (tab := payload.mapping_at(user, where))), None)
    reading = Reading(TIMELINE, captured_at, account)
    if timeline is None:
        return ProfilePage(account, None)
    first = _owned_page(timeline, reading)
    # A page that does not say whether more follows is requested by query, which tells what changed.
    return ProfilePage(account, None if _has_next(timeline) is None else first)


def parse_reels_tab(page: str, *, account: AccountSnapshot, captured_at: datetime) -> TimelinePage:
    """Read the reels tab's page, the only one that shows plays to guests. Raises ScrapeError."""
    root, where = routes().profile.root, routes().profile.reels
    results = carrier.page_results(page, root, if_missing=Outcome.NOT_FOUND)
    tabs = (payload.mapping_at(result, f"data/{root}/{where}") for result in results)
    tab = next((tab for tab in tabs if tab is not None), None)
    if tab is None:
        raise payload.schema_changed("the reels page has no reels tab", results[0])
    return _owned_page(tab, Reading(REELS_TAB, captured_at, account), names_owner=False)


def parse_timeline(
    text: str, *, account: AccountSnapshot, captured_at: datetime, is_first: bool
) -> TimelinePage:
    """Read a timeline query's response. Raises ScrapeError."""
    paths = routes().profile
    where = f"{paths.root}/{paths.timeline}" if is_first else paths.more_timeline
    tree = carrier.query_result(text, where)
    tab = payload.mapping_at(tree, f"data/{where}")
    if tab is None:
        raise payload.schema_changed("the timeline response has no connection", tree)
    if _has_next(tab) is None:
        raise payload.schema_changed("a timeline that does not say whether more follows", tab)
    return _owned_page(tab, Reading(TIMELINE, captured_at, account))


def parse_post_page(page: str, *, pk: str, captured_at: datetime) -> VideoSnapshot:
    """Read a post's page. Raises ScrapeError, also if it shows another post."""
    root = routes().post.root
    results = carrier.page_results(page, root, if_missing=Outcome.POST_UNAVAILABLE)
    post = next((result for result in results if at(result, f"data/{root}")), results[0])
    return _post(post, pk, POST_PAGE, captured_at)


def parse_post_answer(text: str, *, pk: str, captured_at: datetime) -> VideoSnapshot:
    """Read a post query's response. Raises ScrapeError, also if it shows another post."""
    root = routes().post.root
    return _post(carrier.post_result(text, root), pk, POST_QUERY, captured_at)


def _account(
    user: dict[str, Json], page: str, handle: str, captured_at: datetime
) -> AccountSnapshot:
    observed, user_id = name_at(user, "username"), id_at(user, "pk")
    followers, following = count_at(user, "follower_count"), count_at(user, "following_count")
    if observed is None or user_id is None:
        raise payload.schema_changed("a profile without username or pk", user)
    if followers is None and following is None:
        raise payload.schema_changed("no known counter in a profile", user)
    posts = count_at(user, "all_media_count")
    return AccountSnapshot(
        platform=PLATFORM,
        handle=handle,
        observed_handle=observed.lower(),
        platform_user_id=user_id,
        platform_alt_id=id_at(user, "id"),
        display_name=text_at(user, "full_name"),
        biography=text_at(user, "biography"),
        bio_link=_unwrapped(web_url_at(user, "bio_links/0/url", "bio_links/0/lynx_url")),
        avatar_url=web_url_at(user, "profile_pic_url"),
        is_private=flag_at(user, "is_private"),
        is_verified=flag_at(user, "is_verified"),
        follower_count=followers,
        following_count=following,
        total_likes_count=None,
        video_count=carrier.posts_in_description(page) if posts is None else posts,
        is_exact=True,
        source=PROFILE_PAGE,
        captured_at=captured_at,
    )


def _unwrapped(url: str | None) -> str | None:
    """Return the target of a link through Instagram's redirect."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    if parts.netloc.lower() != routes().pages.link_shim:
        return url
    targets = parse_qs(parts.query).get("u", [])
    return next((target for target in targets if target.startswith(("http://", "https://"))), None)


def _owned_page(
    tab: dict[str, Json], reading: Reading, *, names_owner: bool = True
) -> TimelinePage:
    """Read a tab's page, without posts of other accounts.

    A timeline may include others' posts, so each of its nodes must name its owner. Posts of which
    the account is a co-author are kept under their first author.
    """
    assumed = None if names_owner else reading.owner_id

    def read(edge: Json) -> ListedPost | None:
        node = _node(edge)
        owner_id, handle = id_at(node, "user/pk") or assumed, name_at(node, "user/username")
        if owner_id is None and handle is None:
            raise payload.schema_changed("a post of a timeline without an author", node)
        if not reading.is_by_owner(owner_id, handle) and not is_coauthor(
            at(node, routes().post.coauthors), reading.owner_id, reading.handle
        ):
            return None
        return ListedPost(video_of(node, reading), _is_pinned(node))

    posts, unread = read_each(payload.items_at(tab, "edges"), read)
    cursor = text_at(tab, "page_info/end_cursor") or None if _has_next(tab) else None
    return TimelinePage(tuple(post for post in posts if post), cursor, unread)


def _has_next(tab: dict[str, Json]) -> bool | None:
    """Return whether another page follows; None if the tab does not say it, or not where."""
    has_next = flag_at(tab, "page_info/has_next_page")
    return None if has_next and not text_at(tab, "page_info/end_cursor") else has_next


def _node(edge: Json) -> dict[str, Json]:
    node = payload.mapping_at(edge, "node")
    if node is None:
        raise payload.schema_changed("an edge without a node", edge)
    return node


def _is_pinned(node: dict[str, Json]) -> bool:
    return any(at(node, path) for path in routes().post.pinned)


def _post(result: dict[str, Json], pk: str, source: str, captured_at: datetime) -> VideoSnapshot:
    paths = routes().post
    media = payload.mapping_at(result, f"data/{paths.root}")
    if media is None:
        raise ScrapeError(Outcome.POST_UNAVAILABLE, "no such post")
    node = payload.mapping_at(media, paths.open)
    if node is None:
        raise _gated(media)
    video = video_of(node, Reading(source, captured_at))
    if video.platform_video_id != pk:
        raise payload.schema_changed(f"asked for {pk}, got {video.platform_video_id}", node)
    if not any(path in node for path in (*paths.like_count, *paths.comment_count)):
        raise payload.schema_changed("no known counter in a post", node)
    return video


def _gated(media: dict[str, Json]) -> ScrapeError:
    gate = payload.mapping_at(media, routes().post.gate)
    if gate is None:
        return payload.schema_changed("a post that is neither open nor gated", media)
    return ScrapeError(Outcome.GATED, text_at(gate, "title") or "gated")
