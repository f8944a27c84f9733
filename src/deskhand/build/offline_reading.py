"""Gives the commands the reading of a goal by the model-free worker, without naming it."""

from deskhand.roles.offline.explaining import describe_reading, explain_goal, is_understood

__all__ = ["describe_reading", "explain_goal", "is_understood"]
