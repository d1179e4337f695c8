"""TikTok's documents, made from `records.py`. Formats: platforms.md, 1.1 to 1.4.

`tiktok.py` has requests and routes, `tiktok_comments.py` the comments.
"""

from scrapers.simulator.answers import Document, as_int32, rounded
from scrapers.simulator.pictures import picture_url
from scrapers.simulator.records import TruePost, TrueProfile

NOT_FOUND = 10221
PRIVATE_ACCOUNT = 10222
POST_GONE = 10204
POST_PRIVATE = 10216
BAD_PARAMETER = 10201
UNKNOWN_ACCOUNT = 10202


def user_detail(profile: TrueProfile | None) -> Document:
    """Return the data of `webapp.user-detail`, also for a missing account."""
    if profile is None:
        return {"statusCode": NOT_FOUND, "statusMsg": "", "userInfo": {}}
    info = {"user": _user(profile), **_profile_stats(profile), "itemList": []}
    status = PRIVATE_ACCOUNT if profile.is_private else 0
    return {"statusCode": status, "statusMsg": "", "userInfo": info}


def creator_embed(profile: TrueProfile, posts: list[TruePost]) -> Document:
    """Return the data of a profile's embed: rounded counts and its newest posts."""
    info = {
        "id": profile.platform_user_id,
        "uniqueId": profile.handle,
        "nickname": profile.display_name,
        "signature": profile.biography,
        "avatarThumbUrl": image(profile.handle, "a_100"),
        "verified": profile.is_verified,
        "followerCount": rounded(profile.follower_count),
        "followingCount": profile.following_count,
        "heartCount": as_int32(rounded(profile.total_likes_count or 0)),
    }
    videos = [
        {"id": post.platform_video_id, "playCount": rounded(post.view_count or 0)} for post in posts
    ]
    return {"userInfo": info, "videoList": videos}


def list_item(post: TruePost, profile: TrueProfile) -> Document:
    """Return a post as in lists. Photo posts have a bare author."""
    item = {
        "id": post.platform_video_id,
        "desc": post.caption,
        "createTime": int(post.posted_at.timestamp()),
        "author": _author(post, profile),
        **_post_stats(post, profile),
        **_media(post, profile),
        **_hashtags(post),
    }
    return item | ({"isPinnedItem": True} if post.is_pinned else {})


def video_detail(post: TruePost, profile: TrueProfile) -> Document:
    """Return the data of `webapp.video-detail` for a visible post.

    Here `createTime` and `stats.collectCount` are strings, and sensitive content has no media.
    """
    item = list_item(post, profile) | {
        "createTime": str(int(post.posted_at.timestamp())),
        "privateItem": False,
        "isContentClassified": post.is_restricted,
    }
    item["stats"] |= {"collectCount": str(item["stats"]["collectCount"])}
    if post.is_restricted:
        item.pop("video")
        item.pop("imagePost", None)
    return {"statusCode": 0, "statusMsg": "", "itemInfo": {"itemStruct": item}}


def video_refusal(status: int) -> Document:
    """Return the data of `webapp.video-detail` for a post that is not visible."""
    message = "item doesn't exist" if status == POST_GONE else "status_private"
    return {"statusCode": status, "statusMsg": message}


def video_embed(post: TruePost, profile: TrueProfile) -> Document:
    """Return the data of a post's embed: exact counts, no saves."""
    photos: Document = (
        {"imagePostInfo": {"displayImages": []}} if post.media_type == "photo" else {}
    )
    return {
        "videoData": photos
        | {
            "itemInfos": {
                "id": post.platform_video_id,
                "text": post.caption,
                "createTime": str(int(post.posted_at.timestamp())),
                "playCount": post.view_count,
                "diggCount": post.like_count,
                "commentCount": post.comment_count,
                "shareCount": post.share_count,
                "covers": [image(post.platform_video_id, "c")],
                "video": {"videoMeta": {"duration": post.duration_seconds}},
            },
            "authorInfos": {
                "userId": profile.platform_user_id,
                "secUid": profile.platform_alt_id,
                "uniqueId": profile.handle,
                "nickName": profile.display_name,
                "verified": profile.is_verified,
            },
            "authorStats": {"followerCount": rounded(profile.follower_count)},
        }
    }


def _user(profile: TrueProfile) -> Document:
    user = {
        "id": profile.platform_user_id,
        "uniqueId": profile.handle,
        "nickname": profile.display_name,
        "secUid": profile.platform_alt_id,
        "signature": profile.biography,
        "avatarLarger": image(profile.handle, "a_1080"),
        "avatarMedium": image(profile.handle, "a_720"),
        "avatarThumb": image(profile.handle, "a_100"),
        "verified": profile.is_verified,
        "privateAccount": profile.is_private,
        "secret": profile.is_private,
        "createTime": int(profile.joined_at.timestamp()),
        "roomId": "",
    }
    return user | ({"bioLink": {"link": profile.bio_link, "risk": 0}} if profile.bio_link else {})


def _profile_stats(profile: TrueProfile) -> Document:
    hearts = profile.total_likes_count or 0
    exact = {
        "followerCount": profile.follower_count,
        "followingCount": profile.following_count,
        "heart": hearts,
        "heartCount": hearts,
        "videoCount": 0 if profile.is_private else profile.video_count,
        "diggCount": 0,
        "friendCount": 12,
    }
    wrapped = as_int32(rounded(hearts))
    rounded_counts = {name: rounded(count) for name, count in exact.items()}
    stats = {"stats": rounded_counts | {"heart": wrapped, "heartCount": wrapped}}
    return stats | (_as_text(exact) if profile.shows_exact_counts else {})


def _post_stats(post: TruePost, profile: TrueProfile) -> Document:
    exact = {
        "playCount": post.view_count or 0,
        "diggCount": post.like_count,
        "commentCount": post.comment_count,
        "shareCount": post.share_count or 0,
        "collectCount": post.save_count or 0,
    }
    stats = {"stats": {name: rounded(count) for name, count in exact.items()}}
    return stats | (_as_text(exact | {"repostCount": 0}) if profile.shows_exact_counts else {})


def _as_text(exact: dict[str, int]) -> Document:
    return {"statsV2": {name: str(count) for name, count in exact.items()}}


def _author(post: TruePost, profile: TrueProfile) -> Document:
    if post.media_type == "photo":
        return {"uniqueId": profile.handle}
    return {
        "id": profile.platform_user_id,
        "uniqueId": profile.handle,
        "nickname": profile.display_name,
        "secUid": profile.platform_alt_id,
        "privateAccount": profile.is_private,
        "verified": profile.is_verified,
    }


def _media(post: TruePost, profile: TrueProfile) -> Document:
    if post.media_type == "photo":
        picture = {
            "imageURL": {"urlList": [image(post.platform_video_id, "i1")]},
            "imageWidth": 1080,
            "imageHeight": 1440,
        }
        return {"video": {"duration": 0, "cover": ""}, "imagePost": {"images": [picture]}}
    video = {
        "id": post.platform_video_id,
        "duration": post.duration_seconds,
        "width": 576,
        "height": 1024,
        "cover": image(post.platform_video_id, "c"),
        "originCover": image(post.platform_video_id, "o"),
    }
    sound = {
        "id": profile.platform_user_id,
        "title": "original sound",
        "authorName": profile.display_name,
        "duration": post.duration_seconds,
        "original": True,
    }
    return {"video": video, "music": sound}


def _hashtags(post: TruePost) -> Document:
    if not post.hashtags:
        return {}
    numbered = [(str(number), tag) for number, tag in enumerate(post.hashtags, 11)]
    return {
        "challenges": [{"id": number, "title": tag} for number, tag in numbered],
        "textExtra": [{"hashtagName": tag, "hashtagId": number} for number, tag in numbered],
    }


def image(owner: str, size: str) -> str:
    return picture_url("p16.example", f"{owner}/{size}.jpeg")
