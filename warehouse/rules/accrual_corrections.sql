-- Cents in words, as pages and sentences write dollars: -$1,234.50.

create or replace macro rules.dollars(cents) as (
    format('{}${:,}.{:02d}', if(cents < 0, '-', ''), abs(cents) // 100, abs(cents) % 100)
);

-- How an accrual stands that is in a live payment (money.md M18): it is as it was copied.

create or replace macro rules.copied_status(is_paid) as (
    if(is_paid, 'paid', 'approved')
);

-- An adjustment that was waived stays at the amount it had then (money.md M19).

create or replace macro rules.is_waived(kind, decision) as (
    kind = 'adjustment' and decision = 'void'
);

-- Frozen accruals, and unpaid ones with settled adjustments, are corrected; void ones are not (money.md M17).

create or replace macro rules.is_corrected(is_frozen, is_settled, is_void) as (
    is_frozen or (is_settled and not is_void)
);

-- What an accrual comes to now, came to when it was frozen, and what settled adjustments of it come to:
-- cents, each null where there is none. What is owed stands in where nothing is frozen any more.

create or replace macro rules.correction(owed_cents, frozen_cents, settled_cents) as (
    {
        'owed_cents': coalesce(owed_cents, 0),
        'frozen_cents': coalesce(frozen_cents, owed_cents, 0),
        'settled_cents': coalesce(settled_cents, 0)
    }
);

-- What is left to pay, or to take back (money.md M19), in cents.

create or replace macro rules.left_to_correct(correction) as (
    correction.owed_cents - correction.frozen_cents - correction.settled_cents
);

create or replace macro rules.correction_reason(correction) as (
    'recomputed to ' || rules.dollars(correction.owed_cents) || ', ' || rules.dollars(correction.frozen_cents)
    || ' frozen, ' || rules.dollars(correction.settled_cents) || ' settled before'
);

-- What the open adjustment is computed from; `settled` is JSON, a list of the settled ones.

create or replace macro rules.correction_evidence(correction, settled) as (
    json_object(
        'type', 'adjustment',
        'owed_cents', correction.owed_cents,
        'frozen_cents', correction.frozen_cents,
        'settled', settled
    )
);

-- An adjustment is about what was frozen, by the rule that recomputes it: each is given by what is frozen,
-- owed, and was settled first.

create or replace macro rules.corrected(frozen, owed, settled) as (
    coalesce(frozen, owed, settled)
);

create or replace macro rules.correcting(frozen, owed, settled) as (
    coalesce(owed, frozen, settled)
);

-- The smallest number that no settled adjustment has (money.md M19), of a list of theirs.

create or replace macro rules.next_number(numbers) as (
    list_min(list_filter(range(1, len(numbers) + 2), lambda number: not list_contains(numbers, number)))
);

-- Nothing is adjusted before its period is over: `today` is of its zone.

create or replace macro rules.is_over(period_end, today) as (
    today > period_end
);
