"""Kinds of options that several verbs have."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

Flag = Annotated[bool, Parameter(negative=())]
"""Off unless given; there is no --no-... of it."""

Names = Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative=())]
"""One or several names after one option."""

Output = Annotated[str, Parameter(name=("--output", "-o"))]
"""What is written."""
