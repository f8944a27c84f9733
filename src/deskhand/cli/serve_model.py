"""`deskhand model-server`: scripted replies over the real wire, and at the end what of the script was not asked for."""

from pathlib import Path

from deskhand.cli.output import print_line
from deskhand.core.errors import UsageError
from deskhand.models.scripted.http_server import ModelServer, serve_script


async def serve_model(script: Path, port: int) -> int:
    running: list[ModelServer] = []

    def announce_server(server: ModelServer) -> None:
        running.append(server)
        print_line(f"A scripted model answers at {server.url} until Ctrl-C.")
        print_line(f'  deskhand run --base-url {server.url} --model script --free "…"')

    try:
        await serve_script(script, port, announce_server)
    except OSError as error:
        raise UsageError(f"The model server can't be started: {error}.") from None
    finally:
        if running:
            print_line(running[0].summarize_requests(), error=True)
    return 0
