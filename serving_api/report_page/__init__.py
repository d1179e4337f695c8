"""The report page of a project or campaign, opened with a link and PIN.

It shows what the services return to the member who shared it.
"""
