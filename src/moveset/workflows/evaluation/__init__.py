"""How good trained bundles are, as figures, pictures and pages; `workflows/evaluate.py` is the way in."""
