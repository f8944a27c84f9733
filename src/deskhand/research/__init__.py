"""Where supplements come from: the user's files, a web search, tools of MCP servers."""
