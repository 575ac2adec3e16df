"""One module a file format: a read / write pair and a registry entry."""
