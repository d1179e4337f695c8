"""`/payout-accruals`."""

from uuid import UUID

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import AccrualHeld, AccrualOpen, AccrualPaid
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.payouts.accruals import deciding, listing, schemas, service

router = keyed_router("payouts")

ACCRUAL = "/payout-accruals/{accrual_id}"


@router.get("/payout-accruals")
def list_accruals(*, context: Reader, query: Params[schemas.AccrualQuery]) -> schemas.AccrualPage:
    """List the amounts owed to creators. The latest period comes first.

    Each publication computes undecided amounts again, so `updated_since` returns nearly all of
    them after it: compare `amount_cents` and `status`. An amount that is no longer owed leaves the
    list: its id is missing from the next list without `updated_since`.
    """
    return listing.list_page(context, query)


@router.get(ACCRUAL)
def get_accrual(*, context: Reader, accrual_id: UUID) -> Envelope[schemas.AccrualDetail]:
    """Return one accrual with its evidence."""
    return Envelope(data=service.read_accrual(context, accrual_id))


@router.get(f"{ACCRUAL}/evidence")
def list_accrual_evidence(
    *, context: Reader, accrual_id: UUID, query: Params[schemas.EvidenceQuery]
) -> schemas.EvidencePage:
    """List all conversions, videos, goals or counts behind an accrual's amount.

    `list` depends on the amount's `criteria_type`: `videos` for `cpm`, `goals` or `counts` (what
    the goals counted) for `goals`, `conversions` for `conversion`. The evidence of `recurring` and
    `view_threshold` has no list: `GET /payout-accruals/{accrual_id}` returns all of it.
    """
    return service.read_evidence(context, accrual_id, query)


@router.get(f"{ACCRUAL}/statement")
def get_accrual_statement(
    *, context: Reader, accrual_id: UUID
) -> Envelope[schemas.SignedStatement]:
    """Return one amount with its rule and evidence, signed.

    Anyone can verify it: the public key is at `/.well-known/jwks.json` of this server, which needs
    no API key.
    """
    return Envelope(data=service.read_statement(context, accrual_id))


@router.post(f"{ACCRUAL}/release")
@idempotent()
def release_accrual(
    *, context: AdminWriter, accrual_id: UUID, body: schemas.Release
) -> Envelope[schemas.AccrualDetail]:
    """Release an accrual from anomalies and an admin's hold, with a reason.

    It can then be approved and paid. Anomalies found later, or an admin, hold it again.
    """
    return Envelope(data=service.release(context, accrual_id, body))


@router.patch(ACCRUAL, responses=answers(AccrualHeld, AccrualOpen, AccrualPaid))
def decide_accrual(
    *, context: AdminWriter, accrual_id: UUID, body: schemas.AccrualDecision
) -> Envelope[schemas.AccrualDetail]:
    """Approve or void an accrual, undo that with `final`, or set its note."""
    return Envelope(data=deciding.decide(context, accrual_id, body))
