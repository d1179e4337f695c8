"""`/payout-structures/simulate` and `/payout-structures/search`."""

from typing import Annotated

from fastapi import Query, Response

from serving_api.auth.dependencies import Reader
from serving_api.errors import NotFound, StructureShapeLocked
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.csv import MEDIA_TYPE
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.payouts.simulations import schemas, service
from serving_api.resources.payouts.simulations.searching import COLUMNS, sheet_of

CSV = {
    "content": {
        MEDIA_TYPE: {
            "schema": {"type": "string"},
            "example": f"{','.join(COLUMNS)}\r\n"
            "01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e,1240,1556,316,gains,0\r\n",
        }
    }
}

router = keyed_router("payout structures")


@router.post("/payout-structures/simulate", responses=answers(NotFound, StructureShapeLocked))
def simulate_payout_structure(
    *, context: Reader, body: schemas.Asked
) -> Envelope[schemas.Simulated | None]:
    """Simulate what a rule would have paid on past days, compared with the rules in force.

    Nothing is stored. Amounts are as earned, by creator, period and post, before any decision or
    payment. Null before the first publication.
    """
    return Envelope(data=service.simulated(context, body))


@router.post(
    "/payout-structures/search",
    response_model=Envelope[schemas.Searched | None],
    responses={200: CSV, **answers(NotFound, StructureShapeLocked)},
)
def search_payout_structure(
    *, context: Reader, query: Annotated[schemas.Form, Query()], body: schemas.AskedForBudget
) -> Envelope[schemas.Searched | None] | Response:
    """Find the largest amount, rate or cap with which a rule would have stayed within a budget.

    Each candidate is simulated, and nothing is stored. The answer has what each creator would have
    earned, and who gains or loses against the rules in force; `format=csv` returns that table.
    Null before the first publication.
    """
    result = service.searched(context, body)
    return sheet_of(result) if query.format == "csv" else Envelope(data=result)
