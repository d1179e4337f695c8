"""Long lists in the evidence of accruals: shown in part, and complete in pages."""

from collections.abc import Iterator
from typing import Any, get_args
from uuid import UUID, uuid4

import pytest

from serving_api.resources.payouts.accruals.evidence_lists import EvidenceList, in_part
from tests.factories.accruals import Earning, earning, publish_earnings
from tests.fixtures.payouts import LIST, Paying, week_until


def counted(number: int, limit: int | None = None) -> dict[str, Any]:
    """Evidence of this many conversions of a cent each, with at most `limit` listed."""
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
        """Publish an accrual with that evidence; return its path."""
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
    def test_omissions_are_counted(self, paying: Paying, number: int, is_truncated: bool) -> None:
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
    def test_a_payment_stores_all_of_them(self, paying: Paying) -> None:
        evidence = counted(501)
        path = self.add(paying, evidence)
        paying.pay("counted")
        self.add(paying, counted(2))
        pages = list(self.pages(paying, path, limit=500))
        assert [conversion for page in pages for conversion in page["data"]] == evidence[
            "conversions"
        ]

    def test_a_list_truncated_when_paid_is_marked(self, paying: Paying) -> None:
        """Payments from before lists were stored in full have the first 500."""
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
        ("likes", str(UUID(int=2)), 7, True),  # first reading in one account
        ("likes", str(UUID(int=1)), 0, False),
        ("likes", str(UUID(int=2)), 7, False),  # later in another account
        ("followers", None, 0, None),
    ]
]


class TestCounts:
    def test_omissions_are_counted(self) -> None:
        part = in_part({"type": "goals", "goals": [], "counts": [{}] * 501})
        assert len(part["counts"]) == 500
        assert (part["counts_total"], part["counts_truncated"]) == (501, True)


THRESHOLD = {"type": "view_threshold", "video_id": str(UUID(int=1)), "views_read": 5_000}


class TestOtherLists:
    @pytest.mark.parametrize(
        ("evidence", "names"),
        [
            ({"type": "cpm", "videos": []}, {"videos"}),
            ({"type": "goals", "goals": [], "counts": []}, {"goals", "counts"}),
            ({"type": "conversion", "rates": [], "conversions": []}, {"conversions"}),
            ({"type": "recurring"}, set()),
            (THRESHOLD, set()),
        ],
    )
    def test_each_type_of_rule_has_its_lists(
        self, paying: Paying, evidence: dict[str, Any], names: set[str]
    ) -> None:
        """Another list is refused with the right name, not returned empty."""
        days = week_until(3)
        accrual = earning(paying.tenant, paying.structure, paying.ada, days, 1, evidence=evidence)
        api = paying.tenant.api
        publish_earnings(api.settings, api.store, [accrual], decided_up_to=0)
        path, client = f"{LIST}/{accrual.id}/evidence", paying.tenant.client
        for name in get_args(EvidenceList):
            query = {"list": name}
            if name in names:
                assert client.answer("GET", path, params=query)["data"] == []
                continue
            [issue] = client.refusal("GET", path, "invalid_query", params=query)["issues"]
            assert issue["path"] == "list"
            assert names <= set(issue["message"].split())
