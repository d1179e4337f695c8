"""The asset graph: one module or folder a box of the flow, in the order of the flow."""
