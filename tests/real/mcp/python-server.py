"""A server of the official Python SDK: `stdio`, or `http` on a port that the system chose."""

import sys

try:
    from mcp.server import MCPServer
except ImportError:  # The version before 2.
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("ananke-test")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


@server.tool()
def fail(reason: str) -> str:
    """Always fails."""
    raise ValueError(reason)


@server.resource("shop://hours")
def hours() -> str:
    return "open from 9 to 5"


@server.prompt()
def greeting(name: str) -> str:
    return f"Greet {name}"


if sys.argv[1] == "stdio":
    server.run(transport="stdio")
else:
    port = int(sys.argv[2])
    if hasattr(getattr(server, "settings", None), "port"):
        server.settings.port = port
        server.run(transport="streamable-http")
    else:
        server.run(transport="streamable-http", port=port)
