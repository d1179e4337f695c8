-- UTC offsets of every zone in use, from the IANA database. Spans of a zone are half-open, touch each
-- other and cover 2000 to 2100.
create or replace table operational.zone_offsets (
    zone varchar not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    utc_offset_seconds integer not null -- ahead of UTC
);
