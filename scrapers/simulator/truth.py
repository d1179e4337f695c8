"""Makes records of the truth (`records.py`) from a creator, a post and a time."""

from collections.abc import Iterable
from datetime import UTC, datetime

from scrapers.simulator import identifiers
from scrapers.simulator.comments import Comment, replies
from scrapers.simulator.creators import Creator
from scrapers.simulator.posts import Post
from scrapers.simulator.records import Kind, Platform, TrueComment, TruePost, TrueProfile

_PINS_FROM = 20


def true_profile(creator: Creator, at: datetime) -> TrueProfile:
    """Return what is true of an account at `at`."""
    instant = at.timestamp()
    is_tiktok = creator.platform is Platform.TIKTOK
    return TrueProfile(
        platform=creator.platform,
        handle=creator.handle(instant),
        kind=creator.kind,
        account_type=creator.account_type,
        platform_user_id=creator.user_id,
        platform_alt_id=creator.alt_id,
        display_name=creator.display_name,
        biography=creator.biography,
        bio_link=creator.bio_link,
        joined_at=datetime.fromtimestamp(creator.joined_at, UTC),
        is_verified=creator.is_verified,
        is_private=creator.kind is Kind.PRIVATE,
        shows_exact_counts=creator.shows_exact_counts or not is_tiktok,
        follower_count=creator.followers.at(instant),
        following_count=creator.following,
        total_likes_count=creator.likes.at(instant) if is_tiktok else None,
        video_count=creator.schedule.visible(instant),
    )


def true_post(creator: Creator, post: Post, coauthors: Iterable[Creator], at: datetime) -> TruePost:
    """Return what is true of a post at `at`, visible or not."""
    instant = at.timestamp()
    counts = post.growth.counts(instant)
    handle = creator.handle(instant)
    shortcode = _shortcode(post, creator.platform)
    return TruePost(
        platform=creator.platform,
        platform_video_id=post.platform_id,
        shortcode=shortcode,
        handle=handle,
        platform_user_id=creator.user_id,
        url=_post_url(post, handle, shortcode),
        caption=post.caption,
        hashtags=post.hashtags if post.caption else (),
        media_type=post.media_type,
        duration_seconds=post.duration_seconds,
        posted_at=datetime.fromtimestamp(post.posted_at, UTC),
        is_pinned=post.number == pinned_number(creator, instant),
        is_restricted=post.is_restricted,
        likes_hidden=post.likes_hidden,
        plays_hidden=post.plays_hidden,
        coauthors=tuple(coauthor.handle(instant) for coauthor in coauthors),
        view_count=counts.get("view"),
        like_count=counts["like"],
        comment_count=counts["comment"],
        share_count=counts.get("share"),
        save_count=counts.get("save"),
    )


def true_comment(
    platform: Platform, post: Post, comment: Comment, written: int, at: datetime
) -> TrueComment:
    """Return what is true of a comment at `at`, when its post has `written` comments."""
    instant = at.timestamp()
    return TrueComment(
        platform=platform,
        platform_comment_id=comment.platform_id,
        platform_video_id=post.platform_id,
        text=comment.text_at(instant),
        author_handle=comment.author_handle,
        author_name=comment.author_name,
        author_id=comment.author_id,
        written_at=datetime.fromtimestamp(comment.written_at, UTC),
        is_edited=comment.edited_at is not None and instant >= comment.edited_at,
        like_count=comment.likes_at(instant),
        reply_count=replies(comment.number, written),
    )


def pinned_number(creator: Creator, instant: float) -> int | None:
    """Return the number of the pinned post, once there are twenty posts."""
    number = creator.pinned_post
    if number is None or creator.schedule.published(instant) < _PINS_FROM:
        return None
    return number if creator.schedule.stands(number, instant) else None


def _shortcode(post: Post, platform: Platform) -> str | None:
    if platform is Platform.TIKTOK:
        return None
    return identifiers.shortcode(int(post.platform_id))


def _post_url(post: Post, handle: str, shortcode: str | None) -> str:
    if shortcode is None:
        kind = "photo" if post.media_type == "photo" else "video"
        return f"https://www.tiktok.com/@{handle}/{kind}/{post.platform_id}"
    return f"https://www.instagram.com/{'reel' if post.media_type == 'video' else 'p'}/{shortcode}/"
