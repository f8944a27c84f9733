"""A scripted model behind a real HTTP server, for tests and set-ups that spend nothing."""
