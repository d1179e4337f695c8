"""What the made-up viewers write: the same each time, growing, edited, deleted, of all kinds."""

import unicodedata
from datetime import timedelta
from typing import Any

import httpx
import pytest

from scrapers.simulator import World
from scrapers.simulator.creators import Creator
from scrapers.simulator.posts import Post
from tests.scrapers.simulator.conftest import NOON

LATER = NOON + timedelta(days=12)


Found = tuple[Creator, Post]


def busy(world: World, platform: str) -> Found:
    """A post of some hundred comments, as the world finds it."""
    return next(
        creator_post
        for handle in world.handles(platform, at=NOON)
        for post in world.posts(platform, handle, NOON)
        if 600 <= post.comment_count <= 2_000 and post.posted_at > NOON - timedelta(days=12)
        if (creator_post := world.find_post(platform, post.platform_video_id, NOON))
        and world.visible_post(*creator_post, LATER)
    )


@pytest.fixture(params=["tiktok", "instagram"])
def post(request: pytest.FixtureRequest, world: World) -> Found:
    return busy(world, request.param)


def by_id(comments: list[Any]) -> dict[str, Any]:
    return {comment.platform_comment_id: comment for comment in comments}


def test_asking_twice_and_in_another_world_gives_the_same(world: World, post: Found) -> None:
    there = world.comments(*post, NOON)
    assert world.comments(*post, NOON) == there
    other = World(seed=world.seed, creators=world.creators)
    same_post = other.find_post(post[0].platform, post[1].platform_id, NOON)
    assert same_post is not None
    assert other.comments(*same_post, NOON) == there


def test_shown_comments_and_their_replies_are_about_as_many_as_the_post_counts(
    world: World, post: Found
) -> None:
    comments = world.comments(*post, NOON)
    true = world.visible_post(*post, NOON)
    assert true is not None
    total = len(comments) + sum(comment.reply_count for comment in comments)
    assert 0.75 * true.comment_count < total < 1.15 * true.comment_count


def test_lists_go_from_either_end_and_in_parts(world: World, post: Found) -> None:
    comments = world.comments(*post, NOON)
    assert [comment.written_at for comment in comments] == sorted(
        comment.written_at for comment in comments
    )
    assert world.comments(*post, NOON, newest_first=True) == comments[::-1]
    assert world.comments(*post, NOON, start=10, size=5) == comments[10:15]


def test_with_time_some_come_some_are_edited_and_some_deleted(world: World, post: Found) -> None:
    before, after = by_id(world.comments(*post, NOON)), by_id(world.comments(*post, LATER))
    assert all(comment.written_at > NOON for name, comment in after.items() if name not in before)
    assert before.keys() - after.keys()
    stayed = before.keys() & after.keys()
    edited = [name for name in stayed if before[name].text != after[name].text]
    assert edited
    assert all(after[name].text.startswith(before[name].text) for name in edited)
    assert all(after[name].like_count >= before[name].like_count for name in stayed)


def test_texts_are_of_many_scripts_with_emoji_spam_and_silence(world: World, post: Found) -> None:
    texts = [comment.text for comment in world.comments(*post, LATER)]
    letters = {character for text in texts for character in text if character.isalpha()}
    scripts = {unicodedata.name(letter).split()[0] for letter in letters}
    assert {"LATIN", "CYRILLIC", "ARABIC", "HIRAGANA", "HANGUL", "DEVANAGARI"} <= scripts
    assert any(text and not any(map(str.isalnum, text)) for text in texts)
    assert any("TEA20" in text for text in texts)
    assert "" in texts


async def test_the_control_tells_the_truth_about_a_post(
    world: World, post: Found, http: httpx.AsyncClient
) -> None:
    creator, true_post = post
    answer = await http.get(f"/_simulator/comments/{creator.platform}/{true_post.platform_id}")
    comments = answer.raise_for_status().json()["comments"]
    assert [comment["platform_comment_id"] for comment in comments] == [
        comment.platform_comment_id for comment in world.comments(*post, NOON)
    ]
    for path in ("tiktok/12345678", "myspace/1"):
        assert (await http.get(f"/_simulator/comments/{path}")).status_code == 404


async def test_more_than_fifty_at_once_are_answered_with_nothing(
    world: World, http: httpx.AsyncClient
) -> None:
    _, post = busy(world, "tiktok")
    query = {"aweme_id": post.platform_id, "count": "51", "cursor": "0"}
    answer = await http.get("/tiktok/api/comment/list/", params=query)
    assert (answer.status_code, answer.content) == (200, b"")
