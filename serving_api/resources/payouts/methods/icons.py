"""Icons of payout methods: kept in the method's own folder, and gone when they are replaced."""

from uuid import UUID

from serving_api.errors import InvalidBody
from serving_api.files.kinds import ICON, icon_folder, media_type_of
from serving_api.files.removal import remove_once_committed
from warehouse.operational.models import PayoutMethod
from warehouse.operational.session import WriteSession
from warehouse.storage.storage import Storage


def keep(files: Storage, method: PayoutMethod, content: bytes, media_type: str) -> str:
    """Keep an image as an icon of the method, and return its path."""
    path = ICON.new_path(icon_folder(method.organization_id, method.id), media_type)
    files.put(path, content)
    return path


def copy(files: Storage, method: PayoutMethod, path: str) -> str:
    """Keep the icon of another method of the organization for this one too. Raises InvalidBody."""
    content = files.read(path) if _is_of(method.organization_id, path) else None
    if content is None:
        raise InvalidBody.at("icon_path", "is no icon of the organization")
    return keep(files, method, content, media_type_of(path))


def require_uploaded(files: Storage, method: PayoutMethod, path: str) -> None:
    """Raise InvalidBody unless an icon was uploaded to the path, in the method's own folder."""
    folder = icon_folder(method.organization_id, method.id)
    if not ICON.is_path(path, folder):
        raise InvalidBody.at("icon_path", f"must be the path of an icon inside {folder}/")
    if files.find(path) is None:
        raise InvalidBody.at("icon_path", "nothing was uploaded there")


def replace(session: WriteSession, files: Storage, method: PayoutMethod, path: str | None) -> None:
    """Give the method another icon, or none; the old one's file goes."""
    if method.icon_path is not None and method.icon_path != path:
        remove_once_committed(session, files, method.icon_path)
    method.icon_path = path


def _is_of(organization_id: UUID, path: str) -> bool:
    """Tell whether a path is an icon's, of any method of the organization."""
    method_id = path.split("/")[2:3]
    try:
        folder = icon_folder(organization_id, UUID("".join(method_id)))
    except ValueError:
        return False
    return ICON.is_path(path, folder)
