"""The operator's routes file overrides the packaged one; it is reloaded or rejected by name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapers.instagram.settings import routes as instagram
from scrapers.registry import use_routes
from scrapers.routes_file import BadRoutesError
from scrapers.tiktok.settings import routes as tiktok


@pytest.fixture(autouse=True)
def packaged() -> Iterator[None]:
    yield
    for platform in ("tiktok", "instagram"):
        use_routes(platform, None)


def file_of(folder: Path, text: str) -> Path:
    path = folder / "routes.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_it_overrides_only_its_routes(tmp_path: Path) -> None:
    before = tiktok()
    use_routes("tiktok", file_of(tmp_path, "[creator_list]\npage_size = 7\n"))
    after = tiktok()
    assert after.creator_list.page_size == 7
    assert after.creator_list.path == before.creator_list.path
    assert (after.pages, instagram().pages) == (before.pages, instagram().pages)

    use_routes("tiktok", None)
    assert tiktok() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[creator_list]\npage_size = 'many'\n", "creator_list.page_size: Input should be"),
        ("[creator_list]\npage_sizes = 7\n", "creator_list.page_sizes: Extra inputs"),
        ("[creator_list", "Expected ']'"),
    ],
)
def test_an_invalid_file_is_named_and_changes_nothing(
    tmp_path: Path, text: str, message: str
) -> None:
    before, path = tiktok(), file_of(tmp_path, text)
    with pytest.raises(BadRoutesError) as refused:
        use_routes("tiktok", path)
    assert str(refused.value).startswith(f"{path}: {message}")
    assert tiktok() == before


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRoutesError, match=r"nowhere.toml: No such file"):
        use_routes("instagram", tmp_path / "nowhere.toml")
