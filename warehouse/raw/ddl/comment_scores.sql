-- What each text of a comment says, whoever wrote it and wherever. Append-only: a text is scored once
-- by each version of the scorer, and the row with the greatest score_seq is the one that counts.
create table if not exists raw.comment_scores (
    text_id uuid not null, -- the first half of the text's SHA-256
    language varchar not null, -- ISO 639-1; zxx: no words; und: undecided
    sentiment varchar, -- positive, neutral, negative; NULL = not scored, the language is not known
    sentiment_score decimal(5, 4), -- -1 to 1; NULL = not scored
    sentiment_model varchar not null, -- name and version of what looked at it
    signals varchar[] not null, -- all but brand_mention and competitor
    rules_version varchar not null,
    scored_at timestamptz not null, -- real clock
    score_seq bigint not null -- raw.comment_scorings.score_seq
);
