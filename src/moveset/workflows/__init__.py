"""One function a journey; the only place where rooms of one floor meet."""
