"""Everything dbt builds, with its tests as asset checks."""
