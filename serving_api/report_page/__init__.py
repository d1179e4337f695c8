"""The report of a project or a campaign, for whoever has its link and PIN.

The page is made of what the services of REST answer to the member who shared it, and decides
nothing itself.
"""
