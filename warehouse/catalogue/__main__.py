"""`make catalogue`: write what follows from the catalogue, and say which files were stale."""

from warehouse.catalogue.written import stale, written
from warehouse.settings import REPOSITORY


def main() -> None:
    """Bring every written file up to date."""
    for path, text in list(stale(written())):
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(REPOSITORY))  # noqa: T201  what a person asked for


if __name__ == "__main__":
    main()
