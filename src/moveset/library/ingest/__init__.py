"""From files to a library: facts beside the files, one pure function a file, one writer."""
