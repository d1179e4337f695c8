"""Queries that stand in `.sql` files beside the modules that ask them."""

from importlib.resources import files


def statement(module: str, name: str) -> str:
    """Return the query in the file `name` of a module's folder."""
    package = module.rpartition(".")[0]
    return files(package).joinpath(name).read_text(encoding="utf-8")
