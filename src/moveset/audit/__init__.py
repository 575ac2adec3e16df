"""One check a file: Clip -> Findings."""
