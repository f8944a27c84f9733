"""A scripted model behind a real HTTP server, for tests and trials that cost nothing."""
