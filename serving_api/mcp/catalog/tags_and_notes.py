"""Tools for tags and notes."""

from collections.abc import Iterator

from serving_api.mcp.catalog.entry import Entries, Entry


def _item_tags(noun: str) -> Iterator[tuple[str, Entry]]:
    """Yield the four tag tools, which are the same for each type of item."""
    yield (
        f"list_{noun}_tags",
        Entry(f"{noun}_tags_list", "for all tags on all items, use `tags_list`."),
    )
    yield (
        f"add_{noun}_tags",
        Entry(f"{noun}_tags_add", "to tag many items at once, use `tags_apply`."),
    )
    yield (
        f"replace_{noun}_tags",
        Entry(
            f"{noun}_tags_replace",
            f"it removes every tag that is not sent; to add some, use `{noun}_tags_add`.",
        ),
    )
    yield (
        f"remove_{noun}_tags",
        Entry(f"{noun}_tags_remove", "to delete a tag everywhere, use `tags_delete`."),
    )


TAGS: Entries = {
    "list_tags": Entry("tags_list", "the tags of one item are in that item's own response."),
    "create_tag": Entry(
        "tags_create",
        "tagging with a new name also creates the tag: `tags_apply`.",
        words="niche, group, talent, category",
    ),
    "merge_tags": Entry(
        "tags_merge",
        "to rename a tag, use `tags_update`. Merging cannot be undone.",
        takes_away=True,
    ),
    "apply_tags": Entry(
        "tags_apply",
        "to give one item exactly some tags, use the replacing tool of its type, such as"
        " `creator_tags_replace`.",
        use="To add tags to several creators, campaigns, accounts or videos, or remove them.",
        takes_away=True,
        words="categorize, label, several",
    ),
    "change_tag": Entry("tags_update", "to combine two tags, use `tags_merge`."),
    "delete_tag": Entry("tags_delete", "to remove it from some items only, use `tags_apply`."),
    **dict(_item_tags("creator")),
    **dict(_item_tags("campaign")),
    **dict(_item_tags("account")),
    **dict(_item_tags("video")),
}

NOTES: Entries = {
    "list_notes": Entry(
        "notes_list",
        "one document in full is `notes_get`.",
        use="`q` searches the text of all documents.",
    ),
    "get_notes": Entry(
        "notes_get",
        "to find documents with text, use `notes_list`.",
        use="Notes contain what members consider important: read those of a creator or project"
        " before you change it.",
        example={"entity_type": "creator"},
        words="agreed",
    ),
    "write_notes": Entry(
        "notes_write",
        "text about one date of a chart is an annotation: `annotations_create`. Prefer mode"
        " `append`: `replace` deletes what others wrote.",
        example={"entity_type": "creator"},
        takes_away=True,
        words="remember, write down",
    ),
    "write_creator_notes": Entry(
        "creator_notes_write",
        "documents of other things are written with `notes_write`. Prefer mode `append`.",
        takes_away=True,
    ),
    "write_video_notes": Entry(
        "video_notes_write",
        "documents of other things are written with `notes_write`. Prefer mode `append`.",
        takes_away=True,
    ),
}
