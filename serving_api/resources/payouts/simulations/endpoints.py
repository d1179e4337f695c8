"""`/payout-structures/simulate`."""

from serving_api.auth.dependencies import Reader
from serving_api.errors import NotFound, StructureShapeLocked
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.payouts.simulations import schemas, service

router = keyed_router("payout structures")


@router.post("/payout-structures/simulate", responses=answers(NotFound, StructureShapeLocked))
def simulate_payout_structure(
    *, errand: Reader, body: schemas.Asked
) -> Envelope[schemas.Simulated | None]:
    """Tell what a rule would have paid in past days, beside what the rules in force paid.

    Nothing is written. Amounts are those earned, by creator, period and post, as accruals have
    them before anybody decides on or pays them. Null before anything was published.
    """
    return Envelope(data=service.simulated(errand, body))
