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
        description="Where Dagster stores runs, events and ticks: `files` in HOME/dagster, or "
        "`postgresql` in a schema `dagster` of TRACKER_DATABASE_URL",
    )
    dagster_shards: bool = Field(
        default=False,
        description="`true`: this Dagster computes all shards, each in its own runs; `false`: that"
        " of TRACKER_SHARD",
    )
    rollup_seconds: float = Field(
        default=20.0,
        ge=0,
        description="Least seconds between the starts of two rollups of a shard, unless a person"
        " waits. Conversions alone start one each 15 minutes. 0: no pace",
    )
    dagster_settings: Path | None = Field(
        default=None,
        description="File in the form of dagster.yaml whose values override ours: another launcher"
        " of runs, other limits",
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
        content = yaml.safe_load(file.expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{file} cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{file} is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, Mapping):
        raise ValueError(  # noqa: TRY004  as pydantic wants it
            f"{file} has to hold sections of a dagster.yaml, such as `run_launcher:`"
        )
    return content
