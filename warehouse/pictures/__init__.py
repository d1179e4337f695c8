"""Pictures of posts: fetched once from the platforms, checked, and stored.

    images.py    the structure of PNG, JPEG and WebP, without decoding
    fetching.py  fetching a picture from a public URL
    keeper.py    fetching and storing due pictures

Registration records their URLs (`warehouse.registration.pictures`).
"""
