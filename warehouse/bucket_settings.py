"""Where the bucket is, and what lies in it: files of people, batches, the lake."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings


class BucketSettings(BaseSettings):
    """What the settings say of an S3-compatible bucket; one key for all that lies there."""

    s3_bucket: str | None = Field(
        default=None,
        description="S3-compatible bucket of icons, receipts and pictures; empty: HOME/files",
    )
    s3_endpoint_url: str | None = Field(
        default=None, description="Address of the bucket's server if it is not AWS (MinIO, R2, ...)"
    )
    s3_region: str = Field(default="us-east-1", description="Region of the bucket")
    s3_access_key_id: str | None = Field(
        default=None,
        description="Key for the bucket; empty: AWS's own ways (environment, role of the machine)",
    )
    s3_secret_access_key: SecretStr | None = Field(
        default=None, validate_default=True, description="Secret of that key"
    )
    landing_url: str | None = Field(
        default=None,
        description="Where batches land and are archived: s3://BUCKET or s3://BUCKET/PREFIX, with "
        "the S3 settings above; empty: HOME/landing",
    )
    node_shards: Literal["all", "asked"] = Field(
        default="all",
        description="A node fetches publications of `all` shards, or those `asked` for within a "
        "day",
    )
    lake_url: str | None = Field(
        default=None,
        description="Place of the analysts' lake, in a folder `lake` there: a path relative to "
        "HOME (`.` is HOME) or s3://BUCKET/PREFIX with the S3 settings above; empty: "
        "no lake",
    )

    @field_validator("s3_secret_access_key")
    @classmethod
    def _belongs_to_a_key(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """Say at the start that half of a key is none, and not at the first upload."""
        if bool(info.data.get("s3_access_key_id")) != bool(value):
            raise ValueError(
                "TRACKER_S3_ACCESS_KEY_ID and TRACKER_S3_SECRET_ACCESS_KEY go together"
            )
        return value

    @field_validator("landing_url")
    @classmethod
    def _is_a_bucket(cls, value: str | None) -> str | None:
        """Say at the start that batches cannot land there, and not with the first that is lost."""
        parts = urlsplit(value or "s3://none")
        extras = (parts.query, parts.fragment, parts.username, parts.port)
        if parts.scheme != "s3" or not parts.hostname or any(extras):
            raise ValueError("it has to be s3://BUCKET or s3://BUCKET/PREFIX")
        return value or None

    @field_validator("lake_url")
    @classmethod
    def _require_credentials(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Say at the start that DuckDB, which knows no other way to find a key, would have none."""
        if value and "://" in value:
            if not info.data.get("s3_access_key_id"):
                raise ValueError("a lake in a bucket needs TRACKER_S3_ACCESS_KEY_ID")
            return cls._is_a_bucket(value)
        return value or None

    @property
    def landing_bucket(self) -> tuple[str, str | None] | None:
        """The bucket in which batches land, and the prefix of its names; None for the folder."""
        if self.landing_url is None:
            return None
        parts = urlsplit(self.landing_url)
        return parts.netloc, parts.path.strip("/") or None
