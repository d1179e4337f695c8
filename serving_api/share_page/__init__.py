"""`/share/creator/{creator_id}`: a creator's share page, opened with a link and PIN.

routes      the page, its PIN form and its files
links       open share links, and unlocking them
pins        checking PINs, and locking after wrong ones
content     content of the page
payouts     its payouts section

amount_routes   an amount's page, and the form that disputes it
evidence_table  evidence as a table: posts, and lines that add up to the amount
evidence_words  other evidence as sentences

files       the style sheet
"""
