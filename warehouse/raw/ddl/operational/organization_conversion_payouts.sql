-- From when on conversions that an organization records create accruals, or not; without a row they do.
create or replace table operational.organization_conversion_payouts (
    id uuid not null,
    organization_id uuid not null,
    is_enabled boolean not null,
    valid_from timestamptz not null
);
