"""An MCP server as a user would write one."""

import os
import sys

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


if len(sys.argv) > 1:
    with open(sys.argv[1], "a") as starts:
        starts.write(f"{os.getpid()}\n")
sys.stderr.write("weather server is up\n")
sys.stderr.flush()
server.run()
