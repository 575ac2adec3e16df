"""Many clips on disk: Parquet through DuckDB; ingest, query, splits, views."""
