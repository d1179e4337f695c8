-- Outcomes, voided ones too; each run brings what was written since the last one.
create or replace table operational.conversions (
    id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    conversion_event_id uuid not null,
    target_type varchar not null, -- creator, account, video
    creator_id uuid not null, -- as it was when recorded, like account_id
    account_id uuid,
    video_id uuid,
    value_cents bigint not null, -- of one, in the event's currency
    quantity integer not null,
    total_value_cents bigint not null,
    source varchar,
    label varchar,
    voided_at timestamptz, -- null unless voided
    occurred_at timestamptz not null,
    created_at timestamptz not null
);
