"""A post's title, and the rest of its caption."""

from dataclasses import dataclass

from serving_api.resources.tracking.videos.presenter import NAMELESS, TITLE_LENGTH, first_line
from serving_api.resources.tracking.videos.schemas import Video


@dataclass(frozen=True, slots=True)
class Words:
    """A title, and the part of the caption not in it."""

    title: str
    rest: str


def words_of(post: Video) -> Words:
    """Return the post's own title, or the first line of the caption, cut between words."""
    caption = (post.caption or "").strip()
    if post.title and post.title != first_line(post.caption):
        return Words(post.title, caption)
    if not caption:
        return Words(NAMELESS, "")
    line = caption.splitlines()[0].strip()
    if len(line) <= TITLE_LENGTH:
        return Words(line, caption[len(line) :].strip())
    head = line[:TITLE_LENGTH].rpartition(" ")[0] or line[:TITLE_LENGTH]
    return Words(f"{head}…", f"…{caption[len(head) :].strip()}")
