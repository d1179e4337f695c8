"""What the contract says becomes of creators, accounts and videos, small enough to be seen through.

Written from the contract and its decisions alone: nothing here asks a service, a table or SQL. A
call is a function on an Organization; it returns what the answer must say, or raises Refused with
the codes that the contract allows for it. `things` are what there is, `room` the plan's limits.
"""
