"""An MCP server as a user would write one."""

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("weather")


@server.tool()
def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


@server.tool()
def storm() -> str:
    """Fails."""
    raise ToolError("it blew away")


server.run()
