"""Models: the wire to them, how each family writes, what a call costs. What to ask is left to the roles."""
