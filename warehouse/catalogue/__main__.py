"""`make catalogue`: write the files that follow from the catalogue, and print the stale ones."""

from warehouse.catalogue.written import stale, written
from warehouse.settings import REPOSITORY


def main() -> None:
    """Update and print each stale file."""
    for path, text in list(stale(written())):
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(REPOSITORY))  # noqa: T201  what a person asked for


if __name__ == "__main__":
    main()
