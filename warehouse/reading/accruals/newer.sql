-- All accruals of the subjects that newer decisions are about, as they stand now: one JSON text.

select unnest(from_json($newer, $newer_columns), max_depth := 2)
