"""A simulation of many posts in parts, which take less memory one after the other than at once.

Creators are paid each for itself (money.md M5, M8): parts come to what the whole would.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from uuid import UUID

from warehouse.simulation.decided import OF_CREATORS, OF_PAYEES, OF_POSTS
from warehouse.simulation.inputs import Row, Tables
from warehouse.simulation.proposal import Proposal

MOST_POSTS = 1_000
"""How many posts are simulated at once. Of more each part has half as many, or one creator."""


def slices(facts: Tables, proposal: Proposal) -> Iterator[tuple[Tables, Proposal]]:
    """Yield facts and the proposal by creators, those of all that are asked about in their order.

    A post that several creators had is among the facts of each.
    """
    if len(facts["videos"]) <= MOST_POSTS:
        yield facts, proposal
        return
    for creators in _together(_posts_of(facts, proposal.creators)):
        yield _about(facts, set(creators)), replace(proposal, creators=creators)


def _posts_of(facts: Tables, creators: Sequence[UUID]) -> dict[UUID, int]:
    posts = dict.fromkeys(sorted(creators), 0)
    for row in (*facts["videos"], *facts["video_owners"]):
        if row["creator_id"] in posts:
            posts[row["creator_id"]] += 1
    return posts


def _together(posts: dict[UUID, int]) -> Iterator[Sequence[UUID]]:
    """Yield creators with about as many posts as a part has.

    Each post counts twice, as tracked and as owned: what earlier parts came to is kept meanwhile.
    """
    part: list[UUID] = []
    count = 0
    for creator, more in posts.items():
        if part and count + more > MOST_POSTS:
            yield part
            part, count = [], 0
        part.append(creator)
        count += more
    if part:
        yield part


def _about(facts: Tables, creators: Set[UUID]) -> Tables:
    """Return what `decided` finds for these creators alone."""
    owned = (*facts["videos"], *facts["video_owners"])
    posts = {row.get("video_id") or row["id"] for row in owned if row["creator_id"] in creators}
    of = dict.fromkeys((*OF_CREATORS, *OF_PAYEES), ("creator_id", creators))
    of |= {"videos": ("id", posts), **dict.fromkeys(OF_POSTS, ("video_id", posts))}
    return {name: _where(rows, *of[name]) if name in of else rows for name, rows in facts.items()}


def _where(rows: Sequence[Row], column: str, ids: Set[UUID]) -> Sequence[Row]:
    return [row for row in rows if row[column] in ids]
