-- Which of an organization's terms a text of its comments mentions. Append-only: one row for each
-- version of the terms; the row with the greatest score_seq is the one that counts.
create table if not exists raw.comment_mentions (
    organization_id uuid not null,
    text_id uuid not null,
    signals varchar[] not null, -- of brand_mention, competitor
    terms_version varchar not null,
    score_seq bigint not null
);
