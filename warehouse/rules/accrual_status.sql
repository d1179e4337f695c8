-- The date that a zone's clocks show at an instant (money.md M2).

create or replace macro rules.day_in(zone, instant) as (
    cast(timezone(zone, instant) as date)
);

-- How an undecided accrual stands (money.md M17): `open` until its period has ended, `settling` for some days
-- more, then `final`. Days of any two zones are at most two apart: what ended long ago needs no zone.

create or replace macro rules.status_by_time(as_of, ends_at, period_end, zone, settling_days) as (
    case
        when ends_at > as_of then 'open'
        when period_end + settling_days + 2 < rules.day_in('UTC', as_of) then 'final'
        when period_end + settling_days >= rules.day_in(zone, as_of) then 'settling'
        else 'final'
    end
);

-- For how many whole days an accrual settles: two at least where odd readings would hold it (`is_checked`).
-- Whether views came in one step shows in the 36 hours after a reading (`reading_anomalies`).

create or replace macro rules.settling_days(of_organization, is_checked) as (
    greatest(of_organization, if(is_checked, 2, 0))
);

-- A void sticks; an approval is of an amount: where another one was computed since, the accrual is final
-- again (money.md M17), unless its period still runs, or odd readings of the new amount may not show yet.

create or replace macro rules.decided_status(decision, approved_cents, amount_cents, by_time, is_checked) as (
    case
        when decision = 'void' then 'void'
        when decision = 'approved' and approved_cents = amount_cents then 'approved'
        when decision = 'approved' and by_time = 'settling' and not coalesce(is_checked, false) then 'final'
        else by_time
    end
);

-- What was said with the decision; of an approval that lapsed, why it did (money.md M17).

create or replace macro rules.decided_note(decision, approved_cents, amount_cents, note) as (
    if(
        decision = 'approved' and approved_cents <> amount_cents,
        'approved at ' || rules.dollars(approved_cents) || ', recomputed to ' || rules.dollars(amount_cents),
        note
    )
);
