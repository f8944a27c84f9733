"""Deskhand as an MCP server."""
