"""Read, create, change and delete payout methods."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.errors import Conflict, DefaultMethod, InvalidBody
from serving_api.files.kinds import ICON, icon_folder, media_type_of, remove_once_committed
from serving_api.files.signed_urls import PATH, SignedUrls, UploadUrl, upload_url
from serving_api.http.sessions import ORIGIN
from serving_api.kit.envelope import Deleted, Page
from serving_api.kit.pagination import Keyset, read_slice
from serving_api.kit.readme import replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, from_row, lock_own, require_own, require_row, rows_of
from serving_api.resources.payouts.methods import schemas
from warehouse.ids import uuid7
from warehouse.operational.models import PayoutAccount, PayoutMethod, PayoutPayment
from warehouse.operational.session import WriteSession
from warehouse.storage import uploads
from warehouse.storage.storage import Storage

KEYSET = Keyset(PayoutMethod.created_at, PayoutMethod.id, "payout-methods")


def hold_active(context: WriteContext, method_id: UUID) -> None:
    """Key-share lock a payout method, so that it is not deleted before the commit.

    Raises NotFound, and Conflict for an inactive method.
    """
    statement = rows_of(PayoutMethod, context.organization_id, method_id)
    method = context.session.scalar(statement.with_for_update(read=True, key_share=True))
    if not require_row(method, "Payout method").is_active:
        raise Conflict(
            "This payout method is inactive. Choose an active one.", reason="inactive_payout_method"
        )


def present(session: Session, method: PayoutMethod) -> schemas.PayoutMethod:
    icon = method.icon_path
    url = None if icon is None else f"{session.info[ORIGIN]}{PATH}/{icon}"
    return from_row(schemas.PayoutMethod, method, icon_url=url)


def store_icon(
    files: Storage, organization_id: UUID, method_id: UUID, content: bytes, media_type: str
) -> str:
    path = ICON.new_path(icon_folder(organization_id, method_id), media_type)
    files.put(path, content)
    return path


@dataclass(frozen=True, slots=True)
class CopiedIcon:
    """A copy of another method's icon, stored for the new method with this id."""

    method_id: UUID
    path: str


def copy(files: Storage, organization_id: UUID, path: str) -> CopiedIcon | None:
    """Copy an icon of the organization for a new method.

    Returns None if the path is no such icon.
    """
    content = uploads.read(files, path) if _is_of(organization_id, path) else None
    if content is None:
        return None
    method_id = uuid7()
    icon_path = store_icon(files, organization_id, method_id, content, media_type_of(path))
    return CopiedIcon(method_id, icon_path)


def replace(session: WriteSession, files: Storage, method: PayoutMethod, path: str | None) -> None:
    """Replace or remove the method's icon. The old file is deleted after the commit."""
    if method.icon_path is not None and method.icon_path != path:
        remove_once_committed(session, files, method.icon_path)
    method.icon_path = path


def _is_of(organization_id: UUID, path: str) -> bool:
    """Return whether a path is an icon of any method of the organization."""
    method_id = path.split("/")[2:3]
    try:
        folder = icon_folder(organization_id, UUID("".join(method_id)))
    except ValueError:
        return False
    return ICON.is_path(path, folder)


def list_methods(
    context: RequestContext, query: schemas.PayoutMethodQuery
) -> Page[schemas.PayoutMethod]:
    """Return a page of active methods, newest first, with inactive ones if requested.

    Raises InsufficientRole for inactive ones, and InvalidCursor.
    """
    statement = rows_of(PayoutMethod, context.organization_id)
    if query.include_disabled:
        context.caller.require_org_admin()
    else:
        statement = statement.where(PayoutMethod.is_active)
    page_slice = read_slice(context.session, statement, KEYSET.of(context.organization_id), query)
    return page_slice.page(lambda rows: [present(context.session, row) for row in rows])


def create(
    context: WriteContext, body: schemas.NewPayoutMethod, icon: CopiedIcon | None = None
) -> schemas.PayoutMethod:
    """Create a payout method. Raises InvalidBody for the icon's path, NotesTooLong."""
    if body.icon_path is not None and icon is None:
        raise InvalidBody.at("icon_path", "is not an icon of your organization")
    method = PayoutMethod(
        id=icon.method_id if icon else uuid7(),
        icon_path=icon.path if icon else None,
        organization_id=context.organization_id,
        name=body.name,
        is_default=False,
        is_active=True,
        details=body.metadata or {},
    )
    context.session.add(method)
    replace_readme(context.session, method, body.readme)
    context.session.flush()
    return present(context.session, method)


def read_method(context: RequestContext, method_id: UUID) -> schemas.PayoutMethod:
    """Return one payout method, active or not. Raises NotFound."""
    method = require_own(context, PayoutMethod, method_id, "Payout method")
    return present(context.session, method)


def change(
    context: WriteContext, files: Storage, method_id: UUID, changes: schemas.PayoutMethodChanges
) -> schemas.PayoutMethod:
    """Change a payout method. Raises NotFound, InvalidBody for the icon's path, NotesTooLong."""
    problem = None
    if changes.icon_path is not None:  # before the transaction
        folder = icon_folder(context.organization_id, method_id)
        problem = ICON.keep(files, folder, changes.icon_path)
    method = _locked(context, method_id)
    if problem is not None:
        raise problem
    if changes.sends("icon_path"):
        replace(context.session, files, method, changes.icon_path)
    changes.apply_to(method, "name", "is_active", "metadata")
    if changes.sends("readme"):
        replace_readme(context.session, method, changes.readme)
    context.session.flush()
    return present(context.session, method)


def delete(context: WriteContext, files: Storage, method_id: UUID) -> Deleted:
    """Delete an unused payout method. Raises NotFound, DefaultMethod, Conflict."""
    method = _locked(context, method_id)
    if method.is_default:
        raise DefaultMethod
    _require_unused(context.session, method)
    replace(context.session, files, method, None)
    context.session.delete(method)
    return Deleted(deleted=True)


def set_icon(
    context: WriteContext, files: Storage, method_id: UUID, icon: schemas.Icon
) -> schemas.PayoutMethod:
    """Set a payout method's icon. Raises NotFound, ContentTypeMismatch, InvalidBody."""
    read_method(context, method_id)
    ICON.inspect(icon.content_base64, icon.content_type, "content_base64")
    # End the transaction before calling the bucket. The route takes no Idempotency-Key, whose lock
    # would end with it.
    context.session.rollback()
    path = store_icon(
        files, context.organization_id, method_id, icon.content_base64, icon.content_type
    )
    method = _locked(context, method_id)
    replace(context.session, files, method, path)
    context.session.flush()
    return present(context.session, method)


def icon_upload_url(context: RequestContext, method_id: UUID, media_type: str) -> UploadUrl:
    """Return an upload URL for a payout method's icon. Raises NotFound."""
    require_own(context, PayoutMethod, method_id, "Payout method")
    folder = icon_folder(context.organization_id, method_id)
    return upload_url(context.services[SignedUrls], ICON, folder, media_type)


def _locked(context: WriteContext, method_id: UUID) -> PayoutMethod:
    return lock_own(context, PayoutMethod, method_id, "Payout method", key_share=False)


def _require_unused(session: Session, method: PayoutMethod) -> None:
    """Raise Conflict if payout accounts or payments use the method; `meta` counts both."""
    accounts, payments = (
        count_rows(
            session, rows_of(user, method.organization_id).where(user.payout_method_id == method.id)
        )
        for user in (PayoutAccount, PayoutPayment)
    )
    if accounts or payments:
        raise Conflict(
            "Payout accounts or payments use this method. Disable it instead of deleting it.",
            reason="payout_method_in_use",
            payout_accounts=accounts,
            payments=payments,
        )
