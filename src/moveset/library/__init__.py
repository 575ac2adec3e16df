"""Many clips as one folder: Parquet tables, memory-mapped poses, views for training.

`Library.open(path)` (library/store.py) reads one; `build` (library/ingest/build.py) makes one.
"""
