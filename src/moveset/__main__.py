"""`python -m moveset`."""

from moveset.cli import main

main()
