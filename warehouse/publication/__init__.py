"""Publications: immutable copies of the marts for everyone who reads, and how to open the current.

What is in the marts is the dbt project's; typed queries on them are `warehouse.reading`'s.
"""
