-- One row for each ingested batch: a batch counts exactly once because its rows and this row
-- commit together. batch_seq grows with ingestion and is the watermark of the models.
create table if not exists raw.batches (
    batch_id uuid not null,
    batch_seq bigint not null,
    kind varchar not null, -- scrape, import
    ingested_at timestamptz not null, -- real clock
    video_snapshots bigint not null,
    account_snapshots bigint not null,
    scrape_outcomes bigint not null,
    comments bigint not null default 0,
    comment_walks bigint not null default 0
);

-- A warehouse from before comments were collected.
alter table raw.batches add column if not exists comments bigint default 0;
alter table raw.batches add column if not exists comment_walks bigint default 0;
