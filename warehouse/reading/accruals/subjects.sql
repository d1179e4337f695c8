-- What newer decisions are about: accruals, not their adjustments. One text with commas.

select cast(unnest(string_split($subjects, ',')) as uuid) as subject
