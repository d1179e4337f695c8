"""What DuckDB does about pandas, which nothing here uses."""

import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec


class _Absent(MetaPathFinder):
    """Finds no pandas, at once."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


_ABSENT = _Absent()  # not the class: `importlib.invalidate_caches` calls a method of it


def spare_looking_for_pandas() -> None:
    """Remember for the process that pandas is not installed, where it is not.

    DuckDB 1.5 tries to import it twice for every parameter of a query. Python then searches its
    folders each time: 0.08 ms a parameter, in which no other thread gets on. (None in
    `sys.modules` would do for DuckDB, but pyarrow 26 takes it for pandas.)
    """
    if _ABSENT not in sys.meta_path and find_spec("pandas") is None:
        sys.meta_path.insert(0, _ABSENT)
