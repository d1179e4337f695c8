-- An amount within what is paid at most either way (money.md M1): ninety million million dollars in cents,
-- which every reader of JSON keeps exactly, and a thousand of which still fit a BIGINT. More is a mistake in
-- a rule, and no reason for a pass to fail. Null stays null.

create or replace macro rules.bounded(cents) as (
    case
        when cents > 9000000000000000 then 9000000000000000
        when cents < -9000000000000000 then -9000000000000000
        else cents
    end
);

-- What several amounts come to, within the same: a sum or difference of whole cents.

create or replace macro rules.bounded_cents(cents) as (
    cast(rules.bounded(cents) as bigint)
);
