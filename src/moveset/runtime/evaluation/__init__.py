"""How well a controller moves a crowd: trials, measures, cost, beside real clips. No player needs any of it."""
