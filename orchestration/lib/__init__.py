"""What the assets are made with: looks, sweeps, dbt, failures, metadata. Knows no asset by name."""
