"""The asset graph: one folder a box of the flow, in the order of the flow."""
