"""Reads what the user says in the middle of a task into edits of the to-do list."""
