"""Bucketed time series of a metric, from daily changes, in any zone."""
