"""Charts on desk, report and share pages.

chart   the data of a chart, for its table and its script
files   the script, and the chart library uPlot with its licence
routes  their address
"""
