"""Charts of the desk, of reports and of share pages.

chart   the numbers of a chart: its table shows them, and its script draws them
files   the script, and the chart library uPlot with its licence
routes  where browsers load them
"""
