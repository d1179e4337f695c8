"""`tracker doctor`: examines an installation, and says what is wrong and how to fix it.

It starts, stops and changes nothing unless told to fix things. Each check is an independent
function in `checks`: it opens what it needs, and an exception in it becomes a finding.
"""
