-- The name-based id of RFC 9562, version 5, as Python's uuid.uuid5 gives it: the SHA-1 of the namespace's
-- bytes and the name's, cut to 128 bits, with the version in the 13th digit and the variant in the 17th.

create or replace macro rules.uuid5_of(digest) as (
    cast(
        left(digest, 12) || '5' || substr(digest, 14, 3)
        || translate(substr(digest, 17, 1), '048c159d26ae37bf', '88889999aaaabbbb')
        || substr(digest, 18, 15) as uuid
    )
);

create or replace macro rules.uuid5(namespace, name) as (
    rules.uuid5_of(sha1(unhex(replace(cast(namespace as varchar), '-', '')) || encode(name)))
);

-- The id of the adjustment with that number of an accrual (money.md M16, M19).

create or replace macro rules.adjustment_id(accrual_id, number) as (
    rules.uuid5(accrual_id, cast(number as varchar))
);
