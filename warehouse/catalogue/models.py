"""The schema of each dbt model: its layer, a folder of `dbt_project/models`.

The project's files are the only list of models. A publication has the layers of `PUBLISHED`.
"""

from collections.abc import Mapping
from functools import cache

from warehouse.settings import REPOSITORY

MODELS = REPOSITORY / "dbt_project/models"
MARTS = "marts"
"""Tables for people."""
MACHINERY = "machinery"
"""Tables behind marts and API answers. They may change with any version."""
PUBLISHED = (MARTS, MACHINERY)
LAYERS = ("staging", "intermediate", *PUBLISHED)


@cache
def schemas() -> Mapping[str, str]:
    return {path.stem: layer for layer in LAYERS for path in (MODELS / layer).rglob("*.sql")}


@cache
def incremental() -> frozenset[str]:
    """Return the models with the materialization `incremental`."""
    return _models_with('materialized="incremental"')


@cache
def touching() -> frozenset[str]:
    """Return the models that record what an unpublished build touched (macro `touched_by`)."""
    return _models_with("{{ touched_by")


def _models_with(text: str) -> frozenset[str]:
    return frozenset(
        path.stem
        for layer in LAYERS
        for path in (MODELS / layer).rglob("*.sql")
        if text in path.read_text(encoding="utf-8")
    )


def relation_of(model: str) -> str:
    """Return a model's table or view, such as `marts.videos`. Raises KeyError if there is none."""
    return f"{schemas()[model]}.{model}"
