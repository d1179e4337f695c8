"""Files that people hand over (icons, receipts): kept whole, under a path, and never changed.

    storage.py   what keeps files, and how it fails
    folder.py    in a folder of this machine, the default
    bucket.py    in an S3-compatible bucket
    opening.py   which of the two the settings ask for

Knows nothing of what the files are, or of whose they are. Paths are made by whoever owns the
files; they are relative, `/` stands between their parts, and none of those begins with a dot.
"""
