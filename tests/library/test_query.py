import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.library.schema import TABLES, sql_types


def test_every_table_has_the_columns_of_its_schema(library):
    for table in TABLES:
        answer = library.query(f"SELECT column_name, column_type FROM (DESCRIBE {table})")
        found = dict(answer.rows)
        assert list(found) == list(sql_types(table))
        for name, sql in sql_types(table).items():
            assert found[name].replace('"', "") == sql.replace('"', ""), (table, name)


def test_a_bare_condition_selects_clips(library):
    answer = library.query("speed > 1 AND 'stroll' IN tags")
    assert answer.columns[0] == "name"
    assert [row[0] for row in answer.rows] == ["stroll_0", "stroll_1", "stroll_2"]
    assert library.query("where speed > 100;").rows == []


def test_frames_carry_the_attributes_of_the_motion(library):
    answer = library.query(
        "SELECT count(*), avg(frames.speed), max(abs(frames.left_speed)), count(phase) "
        "FROM frames JOIN clips ON clips.id = frames.clip WHERE name = 'stroll_0'"
    )
    count, speed, sideways, phases = answer.rows[0]
    assert count == 40
    assert speed == pytest.approx(1.2, abs=0.02)
    assert sideways < 0.1
    assert phases == 0  # it glides: no foot ever lands


def test_figures_of_a_clip_agree_with_its_frames(library):
    row = library.clips("name = 'stroll_0'")[0]
    assert row.travel == pytest.approx(1.2 * 39 / 30, abs=0.02)
    assert row.path == pytest.approx(row.travel, abs=0.02)
    assert row.seconds == pytest.approx(39 / 30)
    hips = library.load_clip(row.id).world_positions[:, 0, 1]
    assert row.hips_height == pytest.approx(np.median(hips), abs=1e-5)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("nope > 1", 'column "nope" not found.*the columns are clips: id, name'),
        ("SELECT nope FROM frames", "the columns are frames: clip, frame"),
        ("SELECT * FROM nope", "the tables are clips, findings, frames"),
        ("SELECT 1; SELECT 2", "one SELECT at a time"),
        ("SELECT 1; DROP TABLE clips", "one SELECT at a time"),
        ("DROP TABLE clips", "only questions"),
        ("COPY clips TO 'x.csv'", "only questions"),
        ("", "empty"),
        ("selec 1", "syntax error"),
        ("SELECT * FROM read_csv('/etc/hostname')", "Cannot access file"),
        ("SELECT * FROM '/etc/hostname.csv'", "tables are clips"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(library, sql, says):
    with pytest.raises(MovesetError, match=says) as caught:
        library.query(sql)
    assert "\n" not in str(caught.value)


def test_a_query_writes_nothing(library, tmp_path):
    before = sorted(p.name for p in library.path.rglob("*"))
    for sql in (
        "INSERT INTO clips VALUES (1)",
        "CREATE TABLE a AS SELECT 1",
        "SET threads = 1",
        "ATTACH 'x.db'",
    ):
        with pytest.raises(MovesetError):
            library.query(sql)
    assert sorted(p.name for p in library.path.rglob("*")) == before


def test_questions_of_all_forms(library):
    for sql in (
        "FROM clips",
        "WITH a AS (SELECT 1) FROM a",
        "DESCRIBE clips",
        "SUMMARIZE clips",
        "SHOW TABLES",
    ):
        assert library.query(sql).rows


def test_no_column_needs_quotes(library):
    for table in TABLES:
        library.query(f"SELECT {', '.join(sql_types(table))} FROM {table}")
