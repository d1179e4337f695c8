"""Files that people upload (icons, receipts): stored whole under a path, and never changed.

    storage.py   what a storage does, and its errors
    folder.py    in a folder of this machine, the default
    bucket.py    in an S3-compatible bucket
    opening.py   opens the one that the settings choose
    uploads.py   uploads that nothing names yet, and deleting them

Does not know what the files are, or whose they are. The owner of a file makes its path: relative,
with parts separated by `/`, none of which begins with a dot.
"""
