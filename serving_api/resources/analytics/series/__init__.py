"""Analytics: bucketed time series of videos, creators and campaigns."""
