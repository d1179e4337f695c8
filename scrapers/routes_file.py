"""Routes that a platform may change without notice: a packaged routes.toml and an operator's file.

An upgrade brings new routes, but not on the day a platform changes them.
"""

import tomllib
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

Routes = TypeVar("Routes", bound=BaseModel)


class Section(BaseModel):
    """A table of a routes.toml; unknown names are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BadRoutesError(ValueError):
    """An invalid routes file; the message names the file and what is wrong in it."""


class RoutesFile(Generic[Routes]):
    """Routes by their model. Calling it returns them; files are read once."""

    def __init__(self, packaged: Path, model: type[Routes]) -> None:
        self._packaged = packaged
        self._model = model
        self._over: Path | None = None
        self._read: Routes | None = None

    def __call__(self) -> Routes:
        """Return the routes. Raises BadRoutesError."""
        if self._read is None:
            self._read = self._validated()
        return self._read

    def lay_over(self, path: Path | None) -> None:
        """Merge another file over the packaged one, value by value; None for no file.

        Lists are replaced as a whole. Raises BadRoutesError, and then keeps the routes it had.
        """
        before = self._over, self._read
        self._over, self._read = path, None
        try:
            self()
        except BadRoutesError:
            self._over, self._read = before
            raise

    def _validated(self) -> Routes:
        values = _table(self._packaged)
        if self._over is not None:
            values = _laid_over(values, _table(self._over))
        try:
            return self._model.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise BadRoutesError(
                f"{self._over or self._packaged}: {where}: {first['msg']}"
            ) from error


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadRoutesError(f"{path}: {reason}") from None  # a run reports the root cause


def _laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    laid = {**below, **above}
    for name in below.keys() & above.keys():
        if isinstance(below[name], dict) and isinstance(above[name], dict):
            laid[name] = _laid_over(below[name], above[name])
    return laid
