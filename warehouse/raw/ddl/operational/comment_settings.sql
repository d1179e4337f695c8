-- What organizations say about comments; one without a row has the defaults (5, no terms).
create or replace table operational.comment_settings (
    organization_id uuid not null,
    min_comment_count integer not null,
    brand_terms varchar[] not null, -- empty: the organization's name is the brand
    competitor_terms varchar[] not null
);
