"""The asset graph: one module or folder per step, in order."""
