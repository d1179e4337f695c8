"""Small faults that the tests must notice, read from the tables beside this module.

The tables have only faults that no operator makes (locks, syncs, wiring); `generated` makes the
others.

Each `[[mutant]]` names the replaced text and file, the replacement, the consequence, and the tests
that should notice (by default those of the table).
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TABLES = Path(__file__).parent
MODULES = TABLES / "modules.toml"
"""The modules whose mutants are generated."""
REPOSITORY = TABLES.parents[2]


class StaleMutantError(Exception):
    """The mutant's text is not in its file, or more than once. The message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One fault: `by` replaces the only occurrence of `replace` in `file`."""

    name: str
    file: str
    replace: str
    by: str
    wrong: str
    tests: tuple[str, ...]
    table: str

    def mutated(self, text: str) -> str:
        """Return the file's text with the fault. Raises StaleMutantError."""
        count = text.count(self.replace)
        if count != 1:
            raise StaleMutantError(
                f"{self.name}: {self.file} holds its text {count} times, not once: update "
                f"`replace` in {self.table}, or remove the mutant if its code is gone"
            )
        return text.replace(self.replace, self.by)

    def apply(self, root: Path) -> str:
        """Insert the fault into the tree at `root`; return the original text."""
        path = root / self.file
        before = path.read_text(encoding="utf-8")
        path.write_text(self.mutated(before), encoding="utf-8")
        return before


def mutants() -> Iterator[Mutant]:
    for table in sorted(set(TABLES.glob("*.toml")) - {MODULES}):
        content = tomllib.loads(table.read_text(encoding="utf-8"))
        for entry in content["mutant"]:
            tests = tuple(entry.pop("tests", content.get("tests", ())))
            yield Mutant(**entry, tests=tests, table=table.name)
