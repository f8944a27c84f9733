"""Many tasks and conversations in one process. No protocol: HTTP, MCP and the terminal all use it."""
