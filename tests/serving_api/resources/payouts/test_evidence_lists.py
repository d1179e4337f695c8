"""Long lists in the evidence of accruals: shown in part, and read whole by pages."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from serving_api.resources.payouts.accruals.evidence_lists import in_part
from tests.factories.accruals import Earning, earning, publish_earnings
from tests.fixtures.payouts import LIST, Paying, week_until


def counted(number: int, limit: int | None = None) -> dict[str, Any]:
    """Evidence of so many conversions of a cent each, some of which are kept."""
    listed = [
        {
            "conversion_id": str(UUID(int=place)),
            "occurred_at": f"2026-04-28T00:00:00.{place:06d}Z",
            "quantity": 1,
            "total_value_cents": 0,
        }
        for place in range(number)
    ]
    rate = {"rate_type": "flat", "amount_cents": 1, "cents": f"{number}.000000000"}
    event = {"conversion_event_id": str(uuid4()), "conversions": number, "quantity": number}
    return {
        "type": "conversion",
        "cadence": "weekly",
        "rates": [{**rate, **event, "total_value_cents": 0}],
        "conversions": listed[:limit],
        "limited_by": [],
    }


class TestConversions:
    def add(self, paying: Paying, evidence: dict[str, Any]) -> str:
        """Publish an accrual with that evidence; its path."""
        cents = evidence["rates"][0]["conversions"]
        days = week_until(3)
        accrual: Earning = earning(
            paying.tenant, paying.structure, paying.ada, days, cents, evidence=evidence
        )
        paying.earnings["counted"] = accrual
        api = paying.tenant.api
        publish_earnings(api.settings, api.store, [accrual], decided_up_to=0)
        return f"{LIST}/{accrual.id}"

    def pages(self, paying: Paying, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        cursor: str | None = None
        while True:
            more = {"cursor": cursor} if cursor else {}
            answer = paying.tenant.client.answer(
                "GET", f"{path}/evidence", params={"list": "conversions", **query, **more}
            )
            yield answer
            cursor = answer["meta"]["nextCursor"]
            if cursor is None:
                return

    @pytest.mark.parametrize(
        ("number", "is_truncated"), [(1, False), (500, False), (501, True), (600, True)]
    )
    def test_those_left_out_are_said(self, paying: Paying, number: int, is_truncated: bool) -> None:
        evidence = counted(number)
        answer = paying.tenant.client.data("GET", self.add(paying, evidence))["evidence"]
        assert answer["conversions"] == evidence["conversions"][:500]
        assert answer["conversions_total"] == number
        assert answer["conversions_truncated"] is is_truncated

    def test_pages_have_them_all(self, paying: Paying) -> None:
        evidence = counted(601)
        path = self.add(paying, evidence)
        pages = list(self.pages(paying, path, limit=200))
        assert [len(page["data"]) for page in pages] == [200, 200, 200, 1]
        assert [conversion for page in pages for conversion in page["data"]] == evidence[
            "conversions"
        ]
        assert {page["meta"]["total"] for page in pages} == {601}
        assert [page["meta"]["hasMore"] for page in pages] == [True, True, True, False]

    def test_what_comes_in_earlier_repeats_nothing(self, paying: Paying) -> None:
        """An older conversion is reported late, between two pages."""
        whole = counted(5)
        later = {**whole, "conversions": whole["conversions"][1:]}
        pages = self.pages(paying, self.add(paying, later), limit=2)
        seen = next(pages)["data"]
        self.add(paying, whole)
        seen += [conversion for page in pages for conversion in page["data"]]
        assert seen == later["conversions"]

    @pytest.mark.slow
    def test_a_payment_keeps_them_all(self, paying: Paying) -> None:
        evidence = counted(501)
        path = self.add(paying, evidence)
        paying.pay("counted")
        self.add(paying, counted(2))
        pages = list(self.pages(paying, path, limit=500))
        assert [conversion for page in pages for conversion in page["data"]] == evidence[
            "conversions"
        ]

    def test_what_was_cut_when_it_was_paid_says_so(self, paying: Paying) -> None:
        """Payments from before lists were kept whole have the first 500."""
        path = self.add(paying, counted(600, limit=500))
        paying.pay("counted")
        evidence = paying.tenant.client.data("GET", path)["evidence"]
        assert (len(evidence["conversions"]), evidence["conversions_total"]) == (500, 600)
        assert evidence["conversions_truncated"] is True
        pages = list(self.pages(paying, path, limit=500))
        assert sum(len(page["data"]) for page in pages) == 500
        assert pages[-1]["meta"] == {"total": 600, "hasMore": False, "nextCursor": None}


COUNTED = [
    {
        "counter": counter,
        "video_id": video,
        "account_id": str(UUID(int=9)),
        "from": begins,
        "is_first": is_first,
    }
    for counter, video, begins, is_first in [
        ("posts", str(UUID(int=1)), None, None),
        ("views", str(UUID(int=1)), 0, False),
        ("views", str(UUID(int=2)), 0, False),
        ("views", str(UUID(int=2)), 5, False),
        ("likes", str(UUID(int=2)), 7, True),  # as first read of one account
        ("likes", str(UUID(int=1)), 0, False),
        ("likes", str(UUID(int=2)), 7, False),  # from there on another's
        ("followers", None, 0, None),
    ]
]


class TestCounts:
    def test_those_left_out_are_said(self) -> None:
        part = in_part({"type": "goals", "goals": [], "counts": [{}] * 501})
        assert len(part["counts"]) == 500
        assert (part["counts_total"], part["counts_truncated"]) == (501, True)


class TestOtherLists:
    def test_a_list_that_the_evidence_has_not_is_empty(self, owing: Paying) -> None:
        for name in ("conversions", "videos", "goals", "counts"):
            path = f"{owing.path('last')}/evidence"
            answer = owing.tenant.client.answer("GET", path, params={"list": name})
            assert answer["data"] == []
            assert answer["meta"] == {"total": 0, "hasMore": False, "nextCursor": None}
