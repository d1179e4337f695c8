"""Uploads and downloads of icons and receipts.

    kinds.py        the two kinds: media types, sizes, paths and inspections
    signed_urls.py  URLs that authorize one method for one file until they expire
    removal.py      deleting files that no row references
    routes.py       the endpoints; they need no key

`warehouse.storage` stores the files.
"""
