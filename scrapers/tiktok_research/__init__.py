"""TikTok's Research API: for researchers whom TikTok has approved, and nobody else.

Its readings lag: new posts may take some two days to appear, and counters ten to be brought up to
date, so that none of them is exact.
"""
