"""Characters that move frame by frame: crowd state, controls, motion matching, foot lock."""
