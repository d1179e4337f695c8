"""Where a creator connects accounts: the page of a link, the way to the platform and back.

Who has the link sees the handles of the creator and nothing else; to connect an account takes
its own login with the platform.
"""
