"""The two loops and what bounds them. Knows devices, models and workers only as Protocols."""
