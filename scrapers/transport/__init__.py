"""HTTP for scrapers: a paced, bounded client with retries for a platform's host.

It knows no platform and no business time: waits use the monotonic clock.
"""
