"""HTTP for scrapers: one polite, bounded, patient client for a platform's host.

Knows no platform and no business time: waits and windows run on the monotonic clock.
"""
