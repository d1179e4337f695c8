"""Signed URLs, each for one upload or download, with an expiry time.

An HMAC with the server's secret over path and time, with a separate salt for each method. Compared
in constant time, on the real clock.
"""

from hashlib import sha256
from typing import Annotated, Any

from itsdangerous import BadSignature, URLSafeTimedSerializer
from pydantic import BaseModel, Field

from serving_api.errors import Forbidden
from serving_api.files.kinds import KINDS, FileKind
from serving_api.kit.services import from_services
from warehouse.storage.storage import Storage

PATH = "/files"
UPLOADS, DOWNLOADS = f"{PATH}/uploads", f"{PATH}/downloads"
UPLOAD_SECONDS = 2 * 60 * 60
DOWNLOAD_SECONDS = 15 * 60


class SignedUrls:
    """Created once per application; `origin` is the public base URL."""

    def __init__(self, secret: bytes, origin: str) -> None:
        self._origin = origin
        self._uploads = _signer(secret, "file upload")
        self._downloads = _signer(secret, "file download")

    def upload(self, kind: FileKind, path: str) -> str:
        """Return the URL for a PUT of the file, valid for UPLOAD_SECONDS."""
        return f"{self._origin}{UPLOADS}/{self._uploads.dumps([kind.name, path])}"

    def download(self, path: str) -> str:
        """Return the download URL, valid for DOWNLOAD_SECONDS."""
        return f"{self._origin}{DOWNLOADS}/{self._downloads.dumps(path)}"

    def uploaded(self, token: str) -> tuple[FileKind, str]:
        """Return the kind and path of an upload token. Raises Forbidden."""
        name, path = _read(self._uploads, token, UPLOAD_SECONDS)
        return KINDS[name], path

    def downloaded(self, token: str) -> str:
        """Return the path of a download token. Raises Forbidden."""
        return str(_read(self._downloads, token, DOWNLOAD_SECONDS))


def _signer(secret: bytes, purpose: str) -> "URLSafeTimedSerializer":
    return URLSafeTimedSerializer(secret, salt=purpose, signer_kwargs={"digest_method": sha256})


def _read(signer: "URLSafeTimedSerializer", token: str, seconds: int) -> Any:
    try:
        return signer.loads(token, max_age=seconds)
    except BadSignature:
        raise Forbidden("This URL is invalid or has expired. Request a new one") from None


EXAMPLE_PATH = (
    "orgs/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6f"
    "/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d70.png"
)


class UploadUrl(BaseModel):
    """Where to PUT the raw file, with the same Content-Type; then PATCH its path."""

    signed_url: str = Field(
        description="PUT the raw bytes here once, without a key, with the requested Content-Type",
        examples=["https://tracker.example/files/uploads/WyJpY29uIiwib3Jncy8i.aR7d.c2lnbmF0dXJl"],
    )
    path: str = Field(examples=[EXAMPLE_PATH])
    max_bytes: int = Field(description="Size limit in bytes", examples=[1_048_576])
    expires_in_seconds: int = Field(examples=[UPLOAD_SECONDS])


def upload_url(urls: SignedUrls, kind: FileKind, folder: str, media_type: str) -> UploadUrl:
    path = kind.new_path(folder, media_type)
    return UploadUrl(
        signed_url=urls.upload(kind, path),
        path=path,
        max_bytes=kind.max_bytes,
        expires_in_seconds=UPLOAD_SECONDS,
    )


Files = Annotated[Storage, from_services(lambda services: services.files)]
Urls = Annotated[SignedUrls, from_services(lambda services: services[SignedUrls])]
