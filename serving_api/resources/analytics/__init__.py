"""Analytics: time series, leaderboards, costs, forecasts and exports."""
