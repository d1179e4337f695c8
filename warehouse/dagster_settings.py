"""How Dagster keeps its history here and starts runs, which the service itself asks nothing of."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

DAGSTER_SCHEMA = "dagster"
"""Of PostgreSQL: with Dagster's history, apart from what people decide."""


class DagsterSettings(BaseSettings):
    """What the settings say of Dagster."""

    dagster_storage: Literal["files", "postgresql"] = Field(
        default="files",
        description="Where Dagster keeps runs, events and ticks: in HOME/dagster, or in a schema "
        f"`{DAGSTER_SCHEMA}` of TRACKER_DATABASE_URL, which several machines reach",
    )
    dagster_shards: bool = Field(
        default=False,
        description="Dagster here computes all shards (`tracker shard`), each in runs of its own; "
        "default: the one of TRACKER_SHARD",
    )
    dagster_settings: Path | None = Field(
        default=None,
        description="A file in the form of Dagster's dagster.yaml, whose values hold in place of "
        "ours: another launcher of runs, other limits",
    )

    @field_validator("dagster_settings")
    @classmethod
    def _has_sections(cls, value: Path | None) -> Path | None:
        """Say at the start that the file cannot be used, and not at the first run."""
        if value is None or value == Path():
            return None
        sections_of(value)
        return value


def sections_of(file: Path) -> Mapping[str, Any]:
    """Return what such a file says, by section. Raises ValueError."""
    import yaml  # noqa: PLC0415  for the few who have one

    try:
        said = yaml.safe_load(file.expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{file} cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{file} is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(said, Mapping):
        raise ValueError(  # noqa: TRY004  as pydantic wants it
            f"{file} has to hold sections of a dagster.yaml, such as `run_launcher:`"
        )
    return said
