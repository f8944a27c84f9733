"""Holds instructions to their proofs: which kind each needs, which still hold, and what of a goal has none."""
