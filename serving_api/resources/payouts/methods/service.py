"""What may happen to a payout method."""

from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import Conflict, DefaultMethod, NotFound
from serving_api.files.kinds import ICON, icon_folder
from serving_api.files.signed_urls import UploadUrl, upload_url
from serving_api.kit.envelope import Deleted, Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import replace_readme
from serving_api.resources.payouts.methods import icons, repository, schemas
from serving_api.resources.payouts.methods.presenter import present
from warehouse.operational import models
from warehouse.storage.storage import Storage


def list_methods(errand: Errand, query: schemas.PayoutMethodQuery) -> Page[schemas.PayoutMethod]:
    """Return a page of the methods in use, newest first; of all where that is asked.

    Raises InsufficientRole for all of them, and InvalidCursor.
    """
    wanted = repository.of_organization(errand.organization_id)
    if query.include_disabled:
        errand.caller.require_org_admin()
    else:
        wanted = wanted.where(models.PayoutMethod.is_active)
    found = read_slice(errand.session, wanted, repository.KEYSET.of(errand.organization_id), query)
    return found.page(lambda rows: [present(errand.session, row) for row in rows])


def create(
    errand: WriteErrand, files: Storage, body: schemas.NewPayoutMethod
) -> schemas.PayoutMethod:
    """Make a payout method. Raises InvalidBody for the icon's path, NotesTooLong."""
    method = models.PayoutMethod(
        organization_id=errand.organization_id,
        name=body.name,
        is_default=False,
        is_active=True,
        details=body.metadata or {},
    )
    errand.session.add(method)
    replace_readme(errand.session, method, body.readme)
    errand.session.flush()
    if body.icon_path is not None:
        method.icon_path = icons.copy(files, method, body.icon_path)
        errand.session.flush()
    return present(errand.session, method)


def read_method(errand: Errand, method_id: UUID) -> schemas.PayoutMethod:
    """Return one payout method, in use or not. Raises NotFound."""
    method = repository.find(errand.session, errand.organization_id, method_id)
    if method is None:
        raise NotFound.named("Payout method")
    return present(errand.session, method)


def change(
    errand: WriteErrand,
    files: Storage,
    method_id: UUID,
    changes: schemas.PayoutMethodChanges,
) -> schemas.PayoutMethod:
    """Change a payout method. Raises NotFound, InvalidBody for the icon's path, NotesTooLong."""
    method = _locked(errand, method_id)
    if changes.sends("icon_path"):
        if changes.icon_path is not None:
            icons.require_uploaded(files, method, changes.icon_path)
        icons.replace(errand.session, files, method, changes.icon_path)
    for name in ("name", "is_active"):
        if changes.sends(name):
            setattr(method, name, getattr(changes, name))
    if changes.sends("metadata"):
        method.details = changes.metadata
    if changes.sends("readme"):
        replace_readme(errand.session, method, changes.readme)
    errand.session.flush()
    return present(errand.session, method)


def delete(errand: WriteErrand, files: Storage, method_id: UUID) -> Deleted:
    """Delete a payout method that nothing refers to. Raises NotFound, DefaultMethod, Conflict."""
    method = _locked(errand, method_id)
    if method.is_default:
        raise DefaultMethod
    _require_unused(errand.session, method)
    icons.replace(errand.session, files, method, None)
    errand.session.delete(method)
    return Deleted(deleted=True)


def set_icon(
    errand: WriteErrand, files: Storage, method_id: UUID, icon: schemas.Icon
) -> schemas.PayoutMethod:
    """Give a payout method an icon. Raises NotFound, ContentTypeMismatch, InvalidBody."""
    method = _locked(errand, method_id)
    ICON.inspect(icon.content_base64, icon.content_type, "content_base64")
    path = icons.keep(files, method, icon.content_base64, icon.content_type)
    icons.replace(errand.session, files, method, path)
    errand.session.flush()
    return present(errand.session, method)


def icon_upload_url(errand: Errand, method_id: UUID, media_type: str) -> UploadUrl:
    """Return where an icon for a payout method can be uploaded. Raises NotFound."""
    if repository.find(errand.session, errand.organization_id, method_id) is None:
        raise NotFound.named("Payout method")
    folder = icon_folder(errand.organization_id, method_id)
    return upload_url(errand.services.signed_urls, ICON, folder, media_type)


def _locked(errand: WriteErrand, method_id: UUID) -> models.PayoutMethod:
    method = repository.lock(errand.session, errand.organization_id, method_id)
    if method is None:
        raise NotFound.named("Payout method")
    return method


def _require_unused(session: Session, method: models.PayoutMethod) -> None:
    """Raise Conflict where creators are paid by the method, or were: `meta` counts both."""
    accounts, payments = repository.count_uses(session, method)
    if accounts or payments:
        raise Conflict(
            "Payout accounts or payments use this method: disable it with PATCH is_active false",
            reason="payout_method_in_use",
            payout_accounts=accounts,
            payments=payments,
        )
