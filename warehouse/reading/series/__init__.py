"""Bucketed time series: from changes on days to the values of a metric, in any zone."""
