"""Works around DuckDB's search for pandas, which is not used here."""

import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec


class _Absent(MetaPathFinder):
    """An import finder that reports pandas as missing, immediately."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


_ABSENT = _Absent()  # not the class: `importlib.invalidate_caches` calls a method of it


def spare_looking_for_pandas() -> None:
    """Record for the process that pandas is not installed, if so.

    DuckDB 1.5 tries to import it twice for every parameter of a query. Python then searches its
    folders each time: 0.08 ms per parameter with the interpreter locked. (None in `sys.modules`
    would satisfy DuckDB, but pyarrow 26 takes it for pandas.)
    """
    if _ABSENT not in sys.meta_path and find_spec("pandas") is None:
        sys.meta_path.insert(0, _ABSENT)
