"""`/share/creator/{creator_id}`: what a creator's share link opens, for people with its PIN.

routes      the page, its form and its files
links       which links are open to the public
tries       a PIN that was entered: right, wrong, or one too many
sessions    who has entered the right one, told by a signed cookie
content     what the page shows
payouts     its section of that name
files       scripts and style sheets, ours and the chart library's
"""
