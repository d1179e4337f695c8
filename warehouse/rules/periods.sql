-- The first day of the period that holds a day (money.md M2): weeks start on Monday, or on the ISO weekday
-- `anchor`, where there is one. A period is named by this day. Null without a period.

create or replace macro rules.period_start(day, period, anchor := 1) as (
    case period
        when 'daily' then day
        when 'weekly' then day - cast((isodow(day) - coalesce(anchor, 1) + 7) % 7 as integer)
        when 'monthly' then cast(date_trunc('month', day) as date)
    end
);

-- The same, and without periods the day itself: where an adjustment of today is booked (money.md M19), or a
-- conversion of that day is paid.

create or replace macro rules.period_or_day(day, period, anchor) as (
    coalesce(rules.period_start(day, period, anchor), day)
);
