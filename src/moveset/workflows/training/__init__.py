"""How trainings go on and where they write; `workflows/train.py` is the way in."""
