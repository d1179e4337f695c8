"""TikTok's Research API, for researchers approved by TikTok only.

Its readings lag: new posts appear after about two days, and counters are updated after up to ten,
so none is exact.
"""
