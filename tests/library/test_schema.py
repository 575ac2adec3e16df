from pathlib import Path

from moveset.library.schema import TABLES, columns


def test_the_page_describes_every_column():
    page = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
    for table in TABLES:
        for name, column in columns(table).items():
            sql = column.sql.replace('"', "")
            assert f"| `{name}` | {sql} | {column.about} | {column.unit} |" in page, (table, name)
