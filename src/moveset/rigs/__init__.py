"""Role recognition of unknown rigs, reference poses, the built-in mannequin."""
