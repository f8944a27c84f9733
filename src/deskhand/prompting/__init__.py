"""Describe a task and its screen to a model, ask it, and ask again. What to ask is left to the roles."""
