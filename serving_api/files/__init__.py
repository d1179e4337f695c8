"""Uploads and downloads of icons and receipts.

    kinds.py        the two kinds: media types, sizes, paths and inspections; deleting files
    signed_urls.py  URLs that authorize one method for one file until they expire
    routes.py       the endpoints; they need no key

`warehouse.storage` stores the files.
"""
