"""Settings of Dagster's history and runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

DAGSTER_SCHEMA = "dagster"
"""PostgreSQL schema of Dagster's history."""


class DagsterSettings(BaseSettings):
    model_config = SettingsConfigDict(use_attribute_docstrings=True)

    rollup_seconds: float = Field(default=20.0, ge=0)
    """Minimum seconds between rollups of a shard, unless a person waits for one. Conversions
    alone start one every 15 minutes. 0: no minimum"""
    dagster_settings: Path | None = None
    """File in the format of dagster.yaml whose values override the defaults, such as the run
    launcher or limits"""

    @field_validator("dagster_settings")
    @classmethod
    def _has_sections(cls, value: Path | None) -> Path | None:
        """Fail at start-up, not at the first run."""
        if value is None or value == Path():
            return None
        sections_of(value)
        return value


def sections_of(file: Path) -> Mapping[str, Any]:
    """Return the file's sections. Raises ValueError."""
    import yaml  # noqa: PLC0415  for the few who have one

    try:
        content = yaml.safe_load(file.expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{file} cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{file} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, Mapping):
        raise ValueError(  # noqa: TRY004  as pydantic wants it
            f"{file} must have sections of a dagster.yaml, such as `run_launcher:`"
        )
    return content
