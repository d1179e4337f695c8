"""A code block that a text leaves open is closed; the rest is unchanged."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from serving_api.kit.readme import closed

lines = st.sampled_from(
    [
        "```",
        "````",
        "~~~",
        "```python",
        "text",
        "",
        "    ```",
        "- ```",
        "> ~~~",
        "``` x```",
        "  ```",
    ]
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("```\ncode", "```\ncode\n```"),
        ("```\ncode\n```", "```\ncode\n```"),
        ("```", "```\n```"),
        ("````\n```", "````\n```\n````"),
        ("~~~\n```", "~~~\n```\n~~~"),
        ("```\na\n```\n\n```\nb", "```\na\n```\n\n```\nb\n```"),
        ("- ```\n  in a list", "- ```\n  in a list"),
    ],
)
def test_open_code_blocks_are_closed(text: str, expected: str) -> None:
    assert closed(text) == expected


@given(st.lists(lines, max_size=8).map("\n".join).map(str.rstrip))
@example("```\n\x0b```")
def test_what_follows_is_a_paragraph_of_its_own(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(f"{closed(text)}\n\nAfterwards")
    last = tokens[-2]
    assert (last.type, last.content, last.level) == ("inline", "Afterwards", 1)
