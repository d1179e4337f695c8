"""Races of payments and of decisions about accruals (money.md M15, M17, M18, M19).

Days and amounts are those of tests/fixtures/payouts.py.
"""

from collections.abc import Callable
from typing import Any

from tests.serving_api.races.harness import AT_STRUCTURES, Action, Paid, Race

PAY = "POST /payout-payments"
CHANGE = "PATCH /payout-payments/{payment_id}"
DECIDE = "PATCH /payout-accruals/{accrual_id}"
ZONE = "PATCH /organizations/{organization_id}"
METHOD = "PATCH /payout-methods/{payout_method_id}"
DISPUTE = "POST /payout-disputes"
RESOLVE = "PATCH /payout-disputes/{dispute_id}"
FORGET_METHOD = "DELETE /payout-methods/{payout_method_id}"
SET_ACCOUNT = "PUT /creators/{creator_id}/payout-account"
FORGET_ACCOUNT = "DELETE /creators/{creator_id}/payout-account"

LAGOS = {"analytics_tz": "Africa/Lagos"}
NAMES = ("settled", "last")


def paying(*names: str, **body: Any) -> dict[str, Any]:
    """The body of a payment to Ada."""
    accruals = {"accrual_ids": [f"{{{name}}}" for name in names]} if names else {}
    return {
        "creator_id": "{creator_id}",
        "project_id": "{project_id}",
        "payout_method_id": "{payout_method_id}",
        **accruals,
        **body,
    }


def deciding(status: str, name: str = "settled", **refusals: str) -> Action:
    """A decision about an accrual."""
    return Action(DECIDE, {"status": status}, about={"accrual_id": name}, **refusals)


def becoming(status: str, **refusals: str) -> Action:
    """A change of the payment's status."""
    return Action(CHANGE, {"status": status}, **refusals)


def taking(*names: str, **refusals: str) -> Action:
    """Add accruals to a payment on account."""
    return Action(CHANGE, {"accrual_ids": [f"{{{name}}}" for name in names]}, **refusals)


def owed(stage: Paid) -> None:
    """Two payable accruals: 10,000 cents are final, 7,000 approved."""
    stage.given["creator_id"] = stage.paying.ada["id"]
    stage.given |= {name: stage.paying.id_of(name) for name in NAMES}
    stage.paying.decide("last", status="approved")


def paid(*names: str, **body: Any) -> Callable[[Paid], None]:
    """A payment beside the payable accruals."""

    def give(stage: Paid) -> None:
        owed(stage)
        stage.given["payment_id"] = stage.paying.pay(*names, **body)["id"]

    return give


def corrected(stage: Paid) -> None:
    """The accrual of 10,000 cents is paid, and 2,000 more are owed."""
    paid("settled")(stage)
    more_is_owed(stage)


def more_is_owed(stage: Paid) -> None:
    stage.paying.publish(settled=12_000)
    [adjustment] = stage.paying.adjustments()
    stage.given["adjustment"] = adjustment["id"]


def disputed(stage: Paid) -> None:
    """The accrual of 10,000 cents is paid, disputed, and then corrected."""
    paid("settled")(stage)
    dispute = stage.has(
        "POST", "/payout-disputes", status=201, accrual_id="{settled}", reason="Too little"
    )
    stage.given["dispute_id"] = dispute["id"]
    more_is_owed(stage)


def reasons(stage: Paid) -> Any:
    """The reasons of disputes."""
    return [each["reason"] for each in stage.data("/payout-disputes")]


def answer(stage: Paid) -> Any:
    return stage.data("/payout-disputes/{dispute_id}")["answer"]


def payment(stage: Paid) -> Any:
    """The statuses of the payment and of its accrual."""
    accrual = stage.paying.accrual("settled")
    return stage.data("/payout-payments/{payment_id}")["status"], accrual["status"]


def payment_names(stage: Paid) -> Any:
    """The payment's accruals."""
    listed = stage.data("/payout-payments/{payment_id}")["accrual_ids"]
    return [name for name in NAMES if stage.given[name] in listed]


def accrual(stage: Paid) -> Any:
    return stage.paying.accrual("settled")["status"]


def released(stage: Paid) -> Any:
    return stage.paying.accrual("last")["status"]


def payments(stage: Paid) -> Any:
    """The payments, by amount."""
    return sorted(each["amount_cents"] for each in stage.data("/payout-payments"))


def balance(stage: Paid) -> Any:
    """Accrued and paid cents of Ada."""
    now = stage.data("/creators/{creator_id}/payout-balance")
    return now["accrued_cents"], now["paid_cents"]


def zone(stage: Paid) -> Any:
    """The structure's zone, which is that of the paid periods."""
    return stage.data(f"/payout-structures/{stage.paying.structure['id']}")["timezone"]


def destination(stage: Paid) -> Any:
    return stage.data("/creators/{creator_id}/payout-account")["details"]


PENDING = paid("settled", status="pending")
ON_ACCOUNT = paid(amount_cents=12_000)
BY_OWN_METHOD = {"payout_method_id": "{own_payout_method_id}"}

OF_STATUS = [
    Race(
        "a pending payment is voided, and paid",
        becoming("void"),
        becoming("paid", late="conflict"),
        PENDING,
        payment,
        (("void", "final"), ("void", "final")),
    ),
    Race(
        "a pending payment fails, and is paid",
        becoming("failed"),
        becoming("paid", late="conflict"),
        PENDING,
        payment,
        (("failed", "final"), ("failed", "final")),
    ),
    Race(
        "a paid payment fails, and is voided",
        becoming("failed", late="conflict"),
        becoming("void", late="conflict"),
        paid("settled"),
        payment,
        (("failed", "final"), ("void", "final")),
    ),
    Race(
        "a payment is voided, and its accrual paid again",
        becoming("void"),
        Action(PAY, paying("settled"), early="accrual_paid"),
        PENDING,
        payments,
        ([10_000, 10_000], [10_000]),
    ),
]

OF_ACCRUALS = [
    Race(
        "an accrual is paid twice",
        Action(PAY, paying("settled"), late="accrual_paid"),
        Action(PAY, paying("settled", "last"), late="accrual_paid"),
        owed,
        payments,
        ([10_000], [17_000]),
    ),
    Race(
        "a payment on account gets an accrual twice",
        taking("settled"),
        taking("settled"),
        ON_ACCOUNT,
        payment_names,
        (["settled"], ["settled"]),
    ),
    Race(
        "a payment on account gets two accruals, and has enough for either",
        taking("settled", late="invalid_body"),
        taking("last", late="invalid_body"),
        ON_ACCOUNT,
        payment_names,
        (["settled"], ["last"]),
    ),
    Race(
        "a payment on account gets an accrual, and is voided",
        taking("settled", late="conflict"),
        becoming("void"),
        ON_ACCOUNT,
        payment,
        (("void", "final"), ("void", "final")),
    ),
    Race(
        "a payment on account gets an accrual that another one pays",
        taking("settled", late="accrual_paid"),
        Action(PAY, paying("settled"), late="accrual_paid"),
        ON_ACCOUNT,
        payments,
        ([12_000], [10_000, 12_000]),
    ),
]

OF_DECISIONS = [
    Race(
        "an accrual is voided, and paid",
        deciding("void", late="accrual_paid"),
        Action(PAY, paying("settled"), late="accrual_void"),
        owed,
        accrual,
        ("void", "paid"),
    ),
    Race(
        "an early release is taken back, and the accrual paid",
        deciding("final", "last", late="accrual_paid"),
        Action(PAY, paying("last"), late="accrual_open"),
        owed,
        released,
        ("settling", "paid"),
    ),
    Race(
        "an accrual is voided, and a payment on account gets it",
        deciding("void", late="accrual_paid"),
        taking("settled", late="accrual_void"),
        ON_ACCOUNT,
        accrual,
        ("void", "paid"),
    ),
    Race(
        "an accrual is approved, and voided",
        deciding("approved"),
        deciding("void"),
        owed,
        accrual,
        ("void", "approved"),
    ),
    Race(
        "an accrual is voided, and its payment too",
        deciding("void", early="accrual_paid"),
        becoming("void"),
        PENDING,
        accrual,
        ("final", "void"),
    ),
]

OF_CORRECTIONS = [
    Race(
        "an adjustment is settled twice",
        Action(PAY, paying("adjustment"), late="accrual_paid"),
        Action(PAY, paying("adjustment", "last"), late="accrual_paid"),
        corrected,
        balance,
        ((19_000, 12_000), (19_000, 19_000)),
    ),
    Race(
        "an adjustment is waived, and settled",
        deciding("void", "adjustment", late="accrual_paid"),
        Action(PAY, paying("adjustment"), late="accrual_void"),
        corrected,
        balance,
        ((17_000, 10_000), (19_000, 12_000)),
    ),
    Race(
        "an adjustment is settled, and what it corrects released",
        Action(PAY, paying("adjustment"), late="not_found"),
        becoming("void"),
        corrected,
        balance,
        ((19_000, 2_000), (19_000, 0)),
    ),
]

OF_DISPUTES = [
    Race(
        "an amount is disputed twice",
        Action(DISPUTE, {"accrual_id": "{settled}", "reason": "Too little"}, late="dispute_open"),
        Action(DISPUTE, {"accrual_id": "{settled}", "reason": "Too late"}, late="dispute_open"),
        owed,
        reasons,
        (["Too little"], ["Too late"]),
    ),
    Race(
        "a dispute is rejected, and its amount said to be corrected",
        Action(RESOLVE, {"state": "rejected", "answer": "It stands"}, late="conflict"),
        Action(
            RESOLVE,
            {"state": "corrected", "answer": "It was", "correction_id": "{adjustment}"},
            late="conflict",
        ),
        disputed,
        answer,
        ("It stands", "It was"),
    ),
]

OF_SURROUNDINGS = [
    Race(
        "the zone changes, and an accrual is paid",
        Action(ZONE, LAGOS),
        Action(PAY, paying("settled")),
        owed,
        zone,
        ("UTC", "UTC"),
    ),
    Race(
        "the zone changes, and a payment on account gets an accrual",
        Action(ZONE, LAGOS),
        taking("settled"),
        ON_ACCOUNT,
        zone,
        ("UTC", "UTC"),
    ),
    Race(
        "the zone changes and an accrual is paid, and neither waits for the other for ever",
        Action(ZONE, LAGOS),
        Action(PAY, paying("settled")),
        owed,
        zone,
        ("UTC", "UTC"),
        held=AT_STRUCTURES,
    ),
    Race(
        "a method is deleted, and paid by",
        Action(FORGET_METHOD, late="conflict"),
        Action(PAY, paying("settled", **BY_OWN_METHOD), late="not_found"),
        owed,
        payments,
        ([], [10_000]),
    ),
    Race(
        "a method goes out of use, and is paid by",
        Action(METHOD, {"is_active": False}),
        Action(PAY, paying("settled"), late="conflict"),
        owed,
        payments,
        ([], [10_000]),
    ),
    Race(
        "a method is deleted, and a creator to be paid by it",
        Action(FORGET_METHOD, late="conflict"),
        Action(SET_ACCOUNT, {**BY_OWN_METHOD, "details": {}}, late="not_found"),
        owed,
    ),
    Race(
        "where a creator is paid is set twice",
        Action(SET_ACCOUNT, {**BY_OWN_METHOD, "details": {"iban": "one"}}),
        Action(SET_ACCOUNT, {**BY_OWN_METHOD, "details": {"iban": "other"}}),
        owed,
        destination,
        ({"iban": "other"}, {"iban": "one"}),
    ),
    Race(
        "where a creator is paid is set, and forgotten",
        Action(SET_ACCOUNT, {**BY_OWN_METHOD, "details": {}}),
        Action(FORGET_ACCOUNT),
        owed,
    ),
]

RACES = [*OF_STATUS, *OF_ACCRUALS, *OF_DECISIONS, *OF_CORRECTIONS, *OF_DISPUTES, *OF_SURROUNDINGS]
