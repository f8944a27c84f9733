"""The web exam: programs from the registries, the questions, and how each is judged by the program's own state."""
