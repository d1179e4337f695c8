"""Pictures that posts are shown with: fetched once from the platforms, looked at, kept in storage.

    images.py    the structure of PNG, JPEG and WebP, without decoding anything
    fetching.py  asking a public address for a picture
    queue.py     which are to be fetched, and when again
    keeper.py    fetching what is due, and keeping it

Where they are to be had is noted as posts are registered (`warehouse.registration.pictures`).
"""
