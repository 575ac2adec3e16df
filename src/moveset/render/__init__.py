"""Camera, skinning, rasterizer, sheets: poses -> images."""
