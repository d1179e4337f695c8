"""Approved amounts in no payment, summed up by creator."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from uuid import UUID

from serving_api.desk.creators import names_of
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts import accounts as payout_accounts
from serving_api.resources.payouts.accruals import listing
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualQuery
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import PayoutMethodQuery

MOST_CREATORS = 40
AMOUNTS_ON_A_PAGE, MOST_PAGES = 100, 5


@dataclass(frozen=True, slots=True)
class Due:
    """What a creator is owed, and the method of the creator's payout account."""

    creator_id: UUID
    creator: str
    accrual_ids: Sequence[UUID]
    cents: int
    method_id: UUID | None

    @property
    def version(self) -> str:
        """A digest of the amounts: different amounts may have the same total."""
        ids = ",".join(sorted(map(str, self.accrual_ids)))
        return sha256(f"{self.cents} {ids}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Dues:
    """The creators of one payment run; `has_more`: a later run has more creators or amounts."""

    creators: Sequence[Due]
    methods: Mapping[str, str]
    has_more: bool


def dues_of(context: RequestContext, project_id: UUID, until: date | None) -> Dues:
    """Return what is owed for periods ending by a day, without negative balances."""
    amounts, has_more = _amounts(context, project_id, until)
    by_creator: dict[UUID, list[Accrual]] = defaultdict(list)
    for amount in amounts:
        by_creator[amount.creator_id].append(amount)
    names = names_of(context, by_creator)
    accounts = payout_accounts.methods_of(context, by_creator)
    dues = [
        Due(
            creator_id=creator_id,
            creator=names[creator_id],
            accrual_ids=[accrual.id for accrual in owed],
            cents=sum(accrual.amount_cents for accrual in owed),
            method_id=accounts.get(creator_id),
        )
        for creator_id, owed in by_creator.items()
    ]
    payable = sorted((due for due in dues if due.cents >= 0), key=lambda due: due.creator)
    ways = methods.list_methods(context, PayoutMethodQuery()).data
    return Dues(
        creators=payable[:MOST_CREATORS],
        methods={str(way.id): way.name for way in ways},
        has_more=has_more or len(payable) > MOST_CREATORS,
    )


def _amounts(
    context: RequestContext, project_id: UUID, until: date | None
) -> tuple[list[Accrual], bool]:
    query = AccrualQuery(
        project_id=project_id, status="approved", held=False, limit=AMOUNTS_ON_A_PAGE
    ).model_copy(update={"to_day": until})
    amounts: list[Accrual] = []
    for _ in range(MOST_PAGES):
        page = listing.list_page(context, query, in_payment=False)
        amounts += page.data
        if page.meta.nextCursor is None:
            return amounts, False
        query = query.model_copy(update={"cursor": page.meta.nextCursor})
    return amounts, True
