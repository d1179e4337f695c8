"""Stories of people at the desk, told by date, each in an organization of its own.

All of September 2026, in Berlin: a pass each morning at eight for all that ask for one. Platforms
are the simulated ones; whatever a person decides, it is decided in the browser.
"""
