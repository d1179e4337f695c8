"""Settings of the bucket for files, batches and the lake."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class BucketSettings(BaseSettings):
    """Settings of an S3-compatible bucket. One key serves everything in it."""

    model_config = SettingsConfigDict(use_attribute_docstrings=True)

    s3_bucket: str | None = None
    """S3-compatible bucket for icons, receipts and pictures; empty: HOME/files"""
    s3_endpoint_url: str | None = None
    """URL of the bucket's server if it is not AWS (MinIO, R2, ...)"""
    s3_region: str = "us-east-1"
    """Region of the bucket"""
    s3_access_key_id: str | None = None
    """Access key of the bucket; empty: AWS's default chain (environment, role)"""
    s3_secret_access_key: SecretStr | None = Field(default=None, validate_default=True)
    """Secret of the access key"""
    landing_url: str | None = None
    """Where batches are landed and archived: s3://BUCKET or s3://BUCKET/PREFIX, with the S3
    settings above; empty: HOME/landing"""
    node_shards: Literal["all", "requested"] = "all"
    """Shards whose publications a node fetches: `all`, or those `requested` in the last day"""
    lake_url: str | None = None
    """Location of the analysts' lake, in its folder `lake`: a path relative to HOME (`.` is
    HOME), or s3://BUCKET/PREFIX with the S3 settings above; empty: no lake"""

    @field_validator("s3_secret_access_key")
    @classmethod
    def _belongs_to_a_key(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """Fail at start-up if only half of the key pair is set."""
        if bool(info.data.get("s3_access_key_id")) != bool(value):
            raise ValueError(
                "set TRACKER_S3_ACCESS_KEY_ID and TRACKER_S3_SECRET_ACCESS_KEY together, or neither"
            )
        return value

    @field_validator("landing_url")
    @classmethod
    def _is_a_bucket(cls, value: str | None) -> str | None:
        """Fail at start-up, before a batch is lost."""
        parts = urlsplit(value or "s3://none")
        extras = (parts.query, parts.fragment, parts.username, parts.port)
        if parts.scheme != "s3" or not parts.hostname or any(extras):
            raise ValueError("use s3://BUCKET or s3://BUCKET/PREFIX")
        return value or None

    @field_validator("lake_url")
    @classmethod
    def _require_credentials(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Fail at start-up without a key, because DuckDB has no other way to find one."""
        if value and "://" in value:
            if not info.data.get("s3_access_key_id"):
                raise ValueError("set TRACKER_S3_ACCESS_KEY_ID for a lake in a bucket")
            return cls._is_a_bucket(value)
        return value or None

    @property
    def landing_bucket(self) -> tuple[str, str | None] | None:
        """The bucket of batches and the prefix of its names; None for a folder."""
        if self.landing_url is None:
            return None
        parts = urlsplit(self.landing_url)
        return parts.netloc, parts.path.strip("/") or None
