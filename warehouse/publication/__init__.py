"""Publications: immutable copies of the marts for all readers, and how to open the current one.

The dbt project defines the marts; `warehouse.reading` has typed queries on them.
"""
