"""The answer that tells where to upload a file (contract, Payout methods; decisions.md)."""

from pydantic import BaseModel, Field

from serving_api.files.kinds import FileKind
from serving_api.files.signed_urls import UPLOAD_SECONDS, SignedUrls

EXAMPLE_PATH = (
    "orgs/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6f"
    "/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d70.png"
)


class UploadUrl(BaseModel):
    """Where to PUT the raw file, once, with the same Content-Type; then PATCH its path in."""

    signed_url: str = Field(
        description="Takes one PUT without a key: the raw bytes, and the Content-Type asked for",
        examples=["https://tracker.example/files/uploads/WyJpY29uIiwib3Jncy8i.aR7d.c2lnbmF0dXJl"],
    )
    path: str = Field(examples=[EXAMPLE_PATH])
    max_bytes: int = Field(description="How large the file may be", examples=[1_048_576])
    expires_in_seconds: int = Field(examples=[UPLOAD_SECONDS])


def upload_url(urls: SignedUrls, kind: FileKind, folder: str, media_type: str) -> UploadUrl:
    """Return where a new file of a kind can be uploaded into a folder."""
    path = kind.new_path(folder, media_type)
    return UploadUrl(
        signed_url=urls.upload(kind, path),
        path=path,
        max_bytes=kind.max_bytes,
        expires_in_seconds=UPLOAD_SECONDS,
    )
