"""`/share/creator/{creator_id}`: what a creator's share link opens, for people with its PIN.

routes      the page, its form and its files
links       which links are open to the public
tries       a PIN that was entered: right, wrong, or one too many
sessions    who has entered the right one, told by a signed cookie
content     what the page shows
payouts     its section of that name

amount_routes   the page of one amount, and the form that disputes it
amounts         what that page shows
evidence_table  what an amount was computed from: posts, and lines that add up to it
evidence_words  the rest of it, in plain words
outcomes        what came of a dispute, likewise

files       the style sheet
"""
