-- One row for each pass of the scorer that is whole: the texts of all batches up to up_to_batch_seq
-- are scored then. What a pass wrote before it was killed is found there by the next one.
create table if not exists raw.comment_scorings (
    score_seq bigint not null,
    up_to_batch_seq bigint not null,
    sentiment_model varchar not null,
    rules_version varchar not null,
    texts bigint not null, -- scored by this pass
    mentions bigint not null, -- looked through for terms by this pass
    scored_at timestamptz not null -- real clock
);
