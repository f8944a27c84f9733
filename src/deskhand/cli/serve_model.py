"""`deskhand model-server`: scripted replies over the real wire, and at the end what of the script was not asked for."""

import asyncio
from pathlib import Path

from deskhand.cli.output import print_line
from deskhand.core.errors import UsageError
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import load_script


async def serve_model(script: Path, port: int) -> int:
    server = ModelServer(load_script(script))
    try:
        await server.start_server(port)
    except OSError as error:
        raise UsageError(f"The model server can't be started: {error}.") from None
    try:
        print_line(f"A scripted model answers at {server.url} until Ctrl-C.")
        print_line(f'  deskhand run --base-url {server.url} --model script --free "…"')
        await asyncio.Event().wait()
    finally:
        await server.stop_server()
        print_line(server.summarize_requests(), error=True)
    return 0
