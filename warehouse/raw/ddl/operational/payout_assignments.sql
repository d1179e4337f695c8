-- Which creators a structure pays, and on which days.
create or replace table operational.payout_assignments (
    id uuid not null,
    organization_id uuid not null,
    structure_id uuid not null,
    creator_id uuid not null,
    start_date date not null,
    end_date date
);
