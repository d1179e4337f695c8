"""Amounts on pages, computed from the rows of REST.

The checks of a page return its sentences with their sums, and the amounts of its tables. The page
may contain no other dollars, so that a sentence without a check fails.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from typing import Any

from serving_api.desk.payouts.listing import STATUS_LABELS
from tests.fixtures.api import Tenant

MONEY = re.compile(r"-?\$[\d,]+(?:\.\d+)?")
CHART = r"(?s)<head>.*?</head>|<figure\b.*?</figure>|<details class=\"numbers\">.*?</details>"
"""Other tests cover the figures of charts."""
DAY_OF_PERIOD = r"Day \d+ of \d+; (?:at its end, if nothing changes|so far): "
FROZEN = "This amount is in a payment and no longer changes. Later changes become a correction."
STEPS = r"(?s)What makes up the cost</h2>.*?</table>"
VERBS = {"final": "Approve", "approved": "Undo the approval of", "void": "Restore"}
LAST_28_DAYS = ("2026-03-07", "2026-04-03")
ON_SHARE_PAGE = {
    "open": "in progress",
    "final": "to approve",
    "approved": "to pay",
    "void": "not paid",
}

Row = Mapping[str, Any]


def dollars(cents: object) -> str:
    value = Decimal(str(cents)) / 100
    digits = max(2, -int(value.normalize().as_tuple().exponent))
    return f"{'-' if value < 0 else ''}${abs(value):,.{digits}f}"


def text_of(html: str) -> str:
    """Return the text of a page without charts, with hyphens as minus signs, as in REST."""
    html = re.sub(DAY_OF_PERIOD, "", html.replace("\N{MINUS SIGN}$", "-$"))
    without_inline = re.sub(r"</?(time|bdi|a|strong)\b[^>]*>", "", re.sub(CHART, "", html))
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", without_inline)).split())


def cents_in(value: object) -> Iterator[object]:
    """Yield all cents in an answer."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            if name.endswith(("cents", "cents_per_thousand")) and each is not None:
                yield each
            yield from cents_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from cents_in(each)


def total(rows: Iterable[Row]) -> int:
    return sum(row["amount_cents"] for row in rows)


def _listed(rows: Iterable[Row]) -> list[Row]:
    """Return the latest 10 of each creator, as a list of amounts shows them."""
    number, listed = Counter[str](), list[Row]()
    for row in rows:
        number[row["creator_id"]] += 1
        listed += [row] if number[row["creator_id"]] <= 10 else []
    return listed


def cents_of(rows: Iterable[Row]) -> list[object]:
    return [row["amount_cents"] for row in rows]


def _over(budget: Row) -> Iterator[str]:
    """Yield the task for a budget that is or will be exceeded."""
    spent = budget["exposure"]
    sums = (("over", spent["exposure_cents"]), ("over expected", spent["projected_cents"] or 0))
    for words, cents in sums:
        if cents > budget["amount_cents"]:
            yield f"Budget {budget['name']}: {dollars(cents - budget['amount_cents'])} {words}"
            return


def _verb(row: Row) -> str | None:
    """Return the verb of the link or button of an amount in a list."""
    if row["payment_id"]:
        return f"{'Payment' if row['status'] == 'paid' else 'In a pending payment'} of"
    return "Release" if row["held"] else VERBS.get(row["status"])


def _on_hold(part: int, whole: int, status: str) -> str:
    """Return a list's text on amounts on hold: all, and those of its status."""
    labels = {str(key): label.lower() for key, label in STATUS_LABELS.items()}
    of_it = "" if part == whole else f", {dollars(part)} of it {labels[status]}"
    return f"; {dollars(whole)} more on hold{of_it}" if part else ""


def _priced(evidence: Row) -> tuple[int, Decimal]:
    """Return the views that cpm paid, and their cents before limits."""
    tiers = [
        (tier["impressions"], Decimal(tier["cents_per_thousand"]))
        for tier in evidence.get("tiers", ())
    ]
    return sum(views for views, _ in tiers), sum(v * rate for v, rate in tiers) / Decimal(1000)


def _views(evidence: Row) -> Counter[str]:
    views = Counter({"": evidence.get("carry_in", 0), " ": -evidence.get("carry_out", 0)})
    for post in evidence.get("videos", ()):
        views[post["video_id"]] += post["views"]
    return views


def _commission(evidence: Row) -> Counter[str]:
    cents = Counter[str]()
    for rate in evidence.get("rates", ()):
        share = Decimal(rate["total_value_cents"]) * (rate["percent_bps"] or 0) / 10_000
        is_flat = rate["rate_type"] == "flat"
        whole = Decimal(rate["amount_cents"] * rate["quantity"]) if is_flat else share
        cents[rate["conversion_event_id"]] += round(whole)
    return cents


def _causes(now: Row, before: Row) -> Iterator[int]:
    """Yield the cents of posts and carried views at the earlier price, of rates, and of events."""
    (views, cents), (views_before, cents_before) = _priced(now), _priced(before)
    if now.get("rates") or before.get("rates"):
        events = _commission(now)
        events.subtract(_commission(before))
        yield from events.values()
    if not (views or views_before):
        return
    price = cents_before / views_before if views_before else cents / views
    changes = _views(now)
    changes.subtract(_views(before))
    yield from (round(change * price) for change in changes.values())
    against = [n for post, n in changes.items() if post.strip() and n * changes.total() <= 0]
    yield round(sum(against) * price)
    yield from (round(cents - cents_before), round((views - views_before) * price))
    yield round(cents - cents_before - (views - views_before) * price)
    most = [each.get("max_payout_cents") for each in (now, before)]
    cut = [
        min(0, limit - each)
        for limit, each in zip(most, (cents, cents_before), strict=True)
        if limit is not None
    ]
    yield from (round(each) for part in cut for each in (part, -part))
    yield round(sum(cut))


CHANGE = re.compile(r"(?s)<h2 id=\"change\">.*?</section>")
CAUSE = re.compile(r": (?:\+|(-))?\$([\d,.]+)(?=</li>|\n<ul>)")
OF_POST = re.compile(r"\((?:\+|(-))?\$([\d,.]+)\)</li>")


def causes_add_up(html: str) -> None:
    """Check that the causes on an amount's page add up to the change, and posts to views."""
    for section in CHANGE.findall(html.replace("\N{MINUS SIGN}$", "-$")):
        listed = section.partition("<ul>")[2].partition("<li>Before")[0]
        causes, posts = (
            [Decimal(f"{sign}{number.replace(',', '')}") for sign, number in found.findall(listed)]
            for found in (CAUSE, OF_POST)
        )
        change = re.search(r"figure\">\+?(-?\$[\d,.]+)<", section)
        if change and causes:
            assert sum(causes) == Decimal(re.sub(r"[$,]", "", change[1])), section
        if posts:
            assert sum(posts) in {causes[-1] if causes else 0, 0}, section


def _with_days(sentence: str) -> str:
    """Return a sentence of REST with days in the format of pages."""
    days = (date.fromisoformat(day) for day in re.findall(r"\d{4}-\d\d-\d\d", sentence))
    for day in days:
        sentence = sentence.replace(day.isoformat(), f"{day.day} {day:%b %Y}")
    return sentence


@dataclass(frozen=True)
class PageText:
    """Full sentences and table amounts of a page. Any further amounts are among `others`.

    `steps` are the first and last amount of a table whose other amounts add up to the last.
    """

    sentences: Iterable[str] = ()
    amounts: Iterable[object] = ()
    others: Iterable[object] = ()
    steps: tuple[int, int] | None = None

    def check(self, html: str) -> None:
        if self.steps and (table := re.search(STEPS, html)):
            html = html.replace(table[0], "")
            cents = [
                round(Decimal(each.replace("$", "").replace(",", "")) * 100)
                for each in MONEY.findall(text_of(table[0]))
            ]
            assert (cents[0], cents[-1]) == self.steps, table
            assert sum(cents[:-1]) == cents[-1], table
        text = text_of(html)
        for sentence in map(_with_days, self.sentences):
            assert re.search(re.escape(sentence) + r"(?!\.?\d)", text), (sentence, text)
            text = text.replace(sentence, "", 1)
        left = Counter(MONEY.findall(text))
        left.subtract(Counter(map(dollars, self.amounts)))
        assert min(left.values(), default=0) >= 0, (left, text)
        assert {*+left} <= {*map(dollars, self.others)}, (
            {*+left} - {*map(dollars, self.others)},
            text,
        )


class Ledger:
    """Answers of REST for an organization with one project."""

    def __init__(self, tenant: Tenant) -> None:
        self._client, self._project = tenant.client, str(tenant.project_id)
        rows = self.answer("/payout-accruals", limit=100)
        self.accruals = [self.answer(f"/payout-accruals/{row['id']}") for row in rows]
        self.payments = [row for row in self.answer("/payout-payments") if row["status"] == "paid"]
        self.creators = {row["id"]: row["display_name"] for row in self.answer("/creators")}
        listed = self.answer("/budgets")
        self.budgets = {row["id"]: self.answer(f"/budgets/{row['id']}") for row in listed}
        self.structures = {row["id"]: row for row in self.answer("/payout-structures")}
        self.disputes = self.answer("/payout-disputes")
        self.events = self.answer(f"/projects/{self._project}/conversion-events")
        self.campaigns = [row["id"] for row in self.answer("/campaigns")]

    def answer(self, path: str, **params: object) -> Any:
        return self._client.data("GET", path, params=params)

    def of(self, *statuses: str, **columns: object) -> list[Row]:
        """Return amounts with any of the statuses, the latest first."""
        return [
            row
            for row in self.accruals
            if (not statuses or row["status"] in statuses)
            and all(row[name] == value for name, value in columns.items())
        ]

    def corrections(self, row: Row) -> list[object]:
        """Return the cents of an amount's corrections, or of the amount that it corrects."""
        if row["kind"] == "adjustment":
            return cents_of(
                each for each in self.accruals if each["id"] == row["adjusts_accrual_id"]
            )
        made = (each for each in self.accruals if each["adjusts_accrual_id"] == row["id"])
        return cents_of(each for each in made if each["status"] != "void")

    def name_of(self, row: Row) -> str:
        return f"{dollars(row['amount_cents'])} for {self.creators[row['creator_id']]}"

    def forecast(self, entity: str, entity_id: str = "") -> Iterator[object]:
        which = {"entity": entity, "entity_id": entity_id or self._project}
        return cents_in(self.answer("/analytics/forecast", **which))

    def sums(self, creator: str) -> str:
        """Return the text of a creator's four sums."""
        due = total(self.of("final", "approved", "paid", creator_id=creator))
        paid = total(row for row in self.payments if row["creator_id"] == creator)
        later = total(self.of("open", "settling", creator_id=creator))
        names = ("Earned", "Paid", "Balance", "Not final yet")
        sums = zip(names, (due, paid, due - paid, later), strict=True)
        return " ".join(f"{name} {dollars(cents)}" for name, cents in sums)

    # Pages of the desk, by address

    def pages(self) -> Iterator[tuple[str, PageText]]:
        yield "", self._overview()
        for status in ("final", "approved", "paid", "settling", "open", "void"):
            rows = self.of(status)
            yield (
                f"/payouts?status={status}",
                self._payouts(status, [row for row in rows if not row["held"]], total(rows)),
            )
        held = [row for row in self.accruals if row["held"]]
        yield "/payouts?status=on_hold", self._payouts("on_hold", held, total(held))
        for row in self.accruals:
            yield f"/payouts/amounts/{row['id']}", self._amount(row)
        yield "/payouts/run", self._run()
        for creator, name in self.creators.items():
            latest = self.of(creator_id=creator)
            forecast = self.forecast("creator", creator)
            yield (
                f"/creators/{creator}",
                PageText([self.sums(creator)], cents_of(latest[:10]), forecast),
            )
            yield f"/search?q={name}", PageText([], cents_of(latest[:3]), cents_of(self.accruals))
            if rows := self.of("approved", creator_id=creator):
                pay = (
                    f"{dollars(total(rows))} is approved",
                    f"Record {dollars(total(rows))} as paid",
                    f"Yes, record {dollars(total(rows))} as paid",
                )
                yield f"/payouts/creators/{creator}", PageText(pay, cents_of(rows))
        yield from self._settings()
        yield "/campaigns", self._campaigns()
        for campaign in self.campaigns:
            others = [
                *self.forecast("campaign", campaign),
                *self._cents_of(campaign, *LAST_28_DAYS),
            ]
            yield f"/campaigns/{campaign}", PageText([], [], others)
            yield from self._costs(campaign)

    def _overview(self) -> PageText:
        needs = {"to approve": ("final",), "approved and not paid": ("approved",)}
        sums = {
            what: total([row for row in self.of(*statuses) if not row["held"]])
            for what, statuses in needs.items()
        }
        held = [row for row in self.accruals if row["held"]]
        on_hold = [f"on hold, {dollars(total(held))}"] if held else []
        budgets = [cents for budget in self.budgets.values() for cents in cents_in(budget)]
        over = [line for budget in self.budgets.values() for line in _over(budget)]
        first, last = LAST_28_DAYS
        spend = self.spend(first, last)
        path = f"/projects/{self._project}/views-by-day"
        days = self.answer(path, **{"from": first, "to": last})
        views = (days["views"] or 0) - (days["views_before_tracking"] or 0)
        prices = [round(Decimal(1000 * spend) / views)] if views > 0 else []
        tiles = [
            f"Spend {dollars(spend)} Pay periods that end in these days",
            f"To pay {dollars(sums['approved and not paid'])}",
        ]
        others = [*self.forecast("project"), *budgets, *sums.values(), *prices]
        return PageText(
            [
                *tiles,
                *(f"{dollars(cents)} {what}" for what, cents in sums.items() if cents),
                *on_hold,
                *over,
            ],
            [],
            others,
        )

    def spend(self, first: str, last: str) -> int:
        """Return the cents of amounts whose periods end on these days."""
        ends = [row for row in self.accruals if first <= row["period_end"][:10] <= last]
        return total(row for row in ends if row["status"] != "void")

    def _replaced(self, row: Row) -> str | None:
        """Return the text for an amount that a dispute's bonus replaces."""
        ids = [each["correction_id"] for each in self.disputes if each["accrual_id"] == row["id"]]
        owed = [each for each in self.accruals if each["id"] in ids and each["status"] != "void"]
        if row["status"] != "void" or not owed:
            return None
        return f"Replaced after a dispute by {dollars(owed[0]['amount_cents'])}"

    def _action(self, row: Row) -> str | None:
        """Return the end of a list's row."""
        verb = _verb(row)
        return self._replaced(row) or (f"{verb} {self.name_of(row)}" if verb else None)

    def _payouts(self, status: str, rows: list[Row], with_held: int) -> PageText:
        sentences = list[str]()
        more_on_hold = with_held - total(rows)
        all_held = total(row for row in self.accruals if row["held"])
        if rows:
            more = _on_hold(more_on_hold, all_held, status)
            sums = f"Total: {dollars(total(rows))}{more}."
            sentences.append("These amounts are not paid." if status == "void" else sums)
        by_creator = Counter[str]()
        for row in rows:
            by_creator[row["creator_id"]] += row["amount_cents"]
        number, rows = len(rows), _listed(rows)
        if status == "final" and len(rows) > 1:
            many = "all" if number == len(rows) else f"{len(rows)} of"
            cents = dollars(total(rows))
            every, together = f"{many} {number} for {cents}", f"Approves {cents} on this page."
            sentences += [f"Approve {every}", f"Yes, approve {every}", together]
        sentences += filter(None, map(self._action, rows))
        sentences += (words for row in rows for words in self._compared(row))
        disputed = {each["accrual_id"] for each in self.disputes if not each["resolved_at"]}
        for creator in {row["creator_id"] for row in rows} if status == "final" else ():
            theirs = [row for row in rows if row["creator_id"] == creator]
            clear = [row for row in theirs if row["id"] not in disputed]
            if len(clear) > 1:
                sentences.append(f"Approves {dollars(total(clear))} of this creator on this page.")
        rates = [
            round(Decimal(1000 * row["amount_cents"]) / row["evidence"]["payable"])
            for row in rows
            if row["evidence"].get("payable")
        ]
        settled = [row for row in rows if row["payment_id"] or row["kind"] == "adjustment"]
        named = [cents for row in settled for cents in self.corrections(row)]
        amounts = [*cents_of(rows), *by_creator.values(), *named]
        return PageText(sentences, amounts, [*rates, more_on_hold, all_held])

    def _amount(self, row: Row) -> PageText:
        frozen = [FROZEN] if row["payment_id"] else []
        ends = ("accrual_id", "correction_id")
        disputes = [each for each in self.disputes if row["id"] in (each[end] for end in ends)]
        others = [row["amount_cents"], *cents_in([row["evidence"], *disputes])]
        replaced = filter(None, [self._replaced(row)])
        sentences = [self.name_of(row), f"{row['summary']}.", *frozen, *replaced]
        return PageText(sentences, self.corrections(row), [*others, *self._change(row)])

    def _corrected(self, row: Row) -> tuple[int, Row, int]:
        """Return an amount with its corrections, and evidence and cents of the current amount."""
        paid = 0 if row["status"] == "void" else row["amount_cents"]
        made = [each for each in self.accruals if each["adjusts_accrual_id"] == row["id"]]
        if not made:
            return paid, row["evidence"], row["amount_cents"]
        live = [each for each in made if each["status"] != "void"]
        latest = next((each for each in live if not each["payment_id"]), made[0])
        owed, cents = latest["evidence"]["owed"], latest["evidence"]["owed_cents"]
        return paid + total(live), owed["evidence"] if owed else {}, cents

    def _before(self, row: Row) -> list[Row]:
        """Return the amount of the rule's previous period."""
        of_rule = self.of(creator_id=row["creator_id"], structure_id=row["structure_id"])
        last = (date.fromisoformat(row["period_start"]) - timedelta(days=1)).isoformat()
        return [
            before
            for before in of_rule
            if before["period_end"] == last and "adjustment" not in (row["kind"], before["kind"])
        ]

    def _compared(self, row: Row) -> Iterator[str]:
        """Yield a list's comparison with the previous period, if a correction counts in either."""
        corrected = {
            each["adjusts_accrual_id"] for each in self.accruals if each["status"] != "void"
        }
        for before in self._before(row) if row["status"] not in ("open", "void") else ():
            cents, earlier = self._corrected(row)[0], self._corrected(before)[0]
            if earlier > 0 and not corrected.isdisjoint((row["id"], before["id"])):
                yield f"with corrections, {dollars(cents)} after {dollars(earlier)}"

    def _change(self, row: Row) -> Iterator[object]:
        """Yield the amounts of the change since the previous period and of its causes."""
        for before in self._before(row):
            cents, evidence, owed = self._corrected(row)
            earlier, old, owed_before = self._corrected(before)
            yield from (cents, earlier, cents - earlier, *cents_in([before, old]))
            yield from (cents - owed, owed_before - earlier, owed - owed_before)  # not paid, rest
            causes = list(_causes(evidence, old))
            yield from (cents + cent for cents in causes for cent in (-1, 0, 1))
            yield from range(-len(causes), len(causes) + 1)  # rounding

    def _run(self) -> PageText:
        rows = self.of("approved")
        due = Counter[str]()
        for row in rows:
            due[row["creator_id"]] += row["amount_cents"]
        return PageText([f"Total: {dollars(due.total())}"] if rows else [], due.values())

    def _settings(self) -> Iterator[tuple[str, PageText]]:
        for structure_id, structure in self.structures.items():
            prices = {*cents_in(structure)} - {0}
            yield f"/settings/structures/{structure_id}", PageText([], prices)
        for event in self.events:
            value = event["default_value_cents"]
            worth = f"worth {dollars(value)}. Recorded conversions keep their value."
            yield (
                f"/settings/conversion-events/{event['id']}",
                PageText([] if value is None else [worth]),
            )
        for budget_id, budget in self.budgets.items():
            spent = budget["exposure"]
            rows = [
                row
                for row in self.of(structure_id=budget["structure_id"])
                if row["status"] != "void" and row["period_end"][:7] == spent["month"][:7]
            ]
            cents, paid = total(rows), total(row for row in rows if row["status"] == "paid")
            later = total(row for row in rows if row["status"] in {"open", "settling"})
            left = budget["amount_cents"] - cents
            sentence = (
                f"{dollars(budget['amount_cents'])} per calendar month: {dollars(cents)} committed"
                f" ({dollars(paid)} paid, {dollars(later)} not final yet), {dollars(left)} left."
            )
            yield f"/settings/budgets/{budget_id}", PageText([sentence])
            yield "/settings/budgets", PageText([], [budget["amount_cents"], cents, left])

    def _campaigns(self) -> PageText:
        first, last = LAST_28_DAYS
        costs = [cents for each in self.campaigns for cents in self._cents_of(each, first, last)]
        budgets = [budget["amount_cents"] for budget in self.budgets.values()]
        tile = f"Spend {dollars(self.spend(first, last))} Pay periods that end in these days"
        per_thousand = self._overview().others
        return PageText([tile], [], [*costs, *budgets, *per_thousand])

    def _cents_of(self, campaign: str, first: str, last: str) -> Iterator[object]:
        """Yield the cost of a campaign, its parts, and its cost per 1,000 views."""
        costs = self.answer(f"/campaigns/{campaign}/costs", **{"from": first, "to": last})
        whole = costs["cost_cents"] + costs["without_post_cents"]
        views = (costs["views"] or 0) - (costs["views_before_tracking"] or 0)
        yield from (whole, *([round(Decimal(1000 * whole) / views)] if views > 0 else []))
        yield from cents_in(costs)

    def _costs(self, campaign: str) -> Iterator[tuple[str, PageText]]:
        days = {"from": "2026-03-02", "to": "2026-04-03"}
        costs = self.answer(f"/campaigns/{campaign}/costs", **days)
        query = "&".join(f"{name}={day}" for name, day in days.items())
        spend = self.spend(*days.values())
        whole = costs["cost_cents"] + costs["without_post_cents"]
        sums = (
            f"Cost of this campaign {dollars(whole)}",
            f"Cost of its posts {dollars(costs['cost_cents'])}",
            f"The whole project\N{RIGHT SINGLE QUOTATION MARK}s spend is {dollars(spend)}",
        )
        page = PageText(
            sums, [], self._cents_of(campaign, *days.values()), (costs["cost_cents"], whole)
        )
        yield f"/campaigns/{campaign}/costs?{query}", page

    # The creator's page

    def share_page(self, creator: str) -> PageText:
        rows = self.of(creator_id=creator)[:12]
        paid = [row for row in self.payments if row["creator_id"] == creator]
        sums = [self.sums(creator)] if rows or paid else []
        sentences = [
            f"{dollars(row['amount_cents'])} {self.status_of(row)} {row['summary']}."
            for row in rows
        ]
        disputed = [f"D{self.corrected(row)}." for row in rows if self.corrected(row)]
        named = [cents for row in rows for cents in self.corrections(row)]
        return PageText([*sums, *sentences, *disputed], [*cents_of(paid), *named])

    def share_amount(self, row: Row) -> PageText:
        sentence = f"Amount {dollars(row['amount_cents'])} Status {self.status_of(row)}"
        disputes = [each for each in self.disputes if each["accrual_id"] == row["id"]]
        others = [row["amount_cents"], *cents_in([row["evidence"], *disputes])]
        disputed = [f"d{corrected}"] if (corrected := self.corrected(row)) else []
        return PageText([sentence, f"{row['summary']}.", *disputed], self.corrections(row), others)

    def corrected(self, row: Row) -> str:
        """Return the result of the latest dispute about an amount, without its first letter."""
        for dispute in self.disputes:
            if dispute["accrual_id"] == row["id"] and dispute["correction_cents"] is not None:
                return f"isputed, corrected by {dollars(dispute['correction_cents'])}"
        return ""

    def status_of(self, row: Row) -> str:
        return "on hold" if row["held"] else ON_SHARE_PAGE.get(row["status"], row["status"])


TABLE = re.compile(r"(?s)<table class=\"stack\">.*?</table>")
FORMULA = re.compile(r"(?s)<p class=\"figure\">(.*?)</p>")


def without_evidence(row: Row, html: str) -> str:
    """Check that the evidence adds up to the amount, and return the page without it."""
    html = html.replace("\N{MINUS SIGN}$", "-$")
    for table in TABLE.findall(html):
        lines = re.findall(r"data-label=\"Dollars\">([^<]+)<", table)
        *parts, sum_of_parts = [Decimal(re.sub(r"[$,]", "", line)) for line in lines]
        assert sum_of_parts * 100 == row["amount_cents"], table
        if row["kind"] == "earning":
            assert sum(parts) == sum_of_parts, table
    for formula in FORMULA.findall(html):
        owed = row["evidence"].get("owed_cents", row["amount_cents"])
        assert unescape(formula).endswith(f" {dollars(owed)}"), formula
    return FORMULA.sub("", TABLE.sub("", html))
