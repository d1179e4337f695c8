"""Icons and receipts: what may be uploaded, and the addresses at which files come and go.

    kinds.py        the two kinds: their types, size, paths, what is looked at
    signed_urls.py  addresses that prove a right, for one file and one method, for a while
    uploads.py      reading an upload, no more of it than its kind takes
    routes.py       the addresses themselves; none of them asks for a key
    dependency.py   storage and signed URLs in the signature of an endpoint

Where the files lie is `warehouse.storage`'s.
"""
