"""The web programs of the exam: each is started on loopback, put back to its first state, and asked what it holds."""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).parents[3]
HOME = ROOT / ".venv-exams"
NODE_MODULES = HOME / "node_modules"
PYTHON = HOME / "bin" / "python"
APPS = Path(__file__).parent / "apps"
START_S = 120.0


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def call_http(url: str, method: str = "GET", body: Any = None, headers: dict[str, str] | None = None) -> Any:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        text = answer.read().decode()
    return json.loads(text) if text.startswith(("{", "[")) else text


class Program:
    """A web program under examination. `folder` is its own; `url` is where a question starts."""

    title = ""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, find_free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def command(self) -> list[str]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return {}

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        log = (self.folder / "log.txt").open("wb")
        env = os.environ | {"HOME": str(self.folder), "PYTHONPATH": str(APPS)} | self.environment()
        self.process = subprocess.Popen(self.command(), cwd=self.folder, env=env, stdout=log, stderr=log)
        deadline = time.monotonic() + START_S
        while not self.answers():
            assert self.process.poll() is None, f"{self.title} ended: {(self.folder / 'log.txt').read_text()[-2000:]}"
            assert time.monotonic() < deadline, f"{self.title} did not start"
            time.sleep(0.1)
        self.keep_first_state()

    def answers(self) -> bool:
        try:
            call_http(self.url)
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def keep_first_state(self) -> None:
        """Remember what `reset` brings back."""

    def reset(self) -> None:
        """Bring back the first state."""

    def state(self) -> Any:
        """Return all that the program holds, in a form that can be compared."""
        raise NotImplementedError


@contextmanager
def running(program: Program) -> Iterator[Program]:
    try:
        program.start()
        yield program
    finally:
        program.stop()


class Library(Program):
    """Django admin; its state is its database."""

    title = "Django admin"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/admin/"

    @property
    def database(self) -> Path:
        return self.folder / "library.sqlite"

    def command(self) -> list[str]:
        return [str(PYTHON), str(APPS / "library_site.py"), str(self.database), str(self.port)]

    def keep_first_state(self) -> None:
        shutil.copy(self.database, self.folder / "first.sqlite")

    def reset(self) -> None:
        with (
            closing(sqlite3.connect(self.folder / "first.sqlite")) as first,
            closing(sqlite3.connect(self.database)) as now,
        ):
            first.backup(now)

    def state(self) -> Any:
        with closing(sqlite3.connect(self.database)) as rows:
            books = rows.execute(
                "select title, (select name from library_author a where a.id = author_id), published, kind, pages,"
                " lent, notes, (select group_concat(name, '+') from (select name from library_tag t join"
                " library_book_tags l on l.tag_id = t.id where l.book_id = b.id order by name))"
                " from library_book b order by title"
            ).fetchall()
            return {
                "books": [list(book) for book in books],
                "authors": sorted(name for (name,) in rows.execute("select name from library_author")),
                "tags": sorted(name for (name,) in rows.execute("select name from library_tag")),
                "users": sorted(
                    rows.execute("select username, is_staff, is_active, first_name, email from auth_user").fetchall()
                ),
                "groups": sorted(name for (name,) in rows.execute("select name from auth_group")),
            }


class StaticFiles(Program):
    """Files of a package on a server of our own; the state is in the page and is looked at there."""

    where = ""
    page = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.page}"

    def start(self) -> None:
        handler = functools.partial(QuietFiles, directory=str(NODE_MODULES / self.where))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def state(self) -> Any:
        return None


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


class ReactTodos(StaticFiles):
    title = "TodoMVC (React)"
    where = "todomvc-react/dist"


class BackboneTodos(StaticFiles):
    title = "TodoMVC (Backbone)"
    where = "todomvc/examples/backbone"


class PetStore(StaticFiles):
    """Swagger UI on an interface of ours; its state is what was asked of that."""

    title = "Swagger UI"
    where = "swagger-ui-dist"

    def start(self) -> None:
        self.pets: dict[int, dict[str, Any]] = {}
        self.asked: list[list[Any]] = []
        self.reset()
        store = self

        class Handler(QuietFiles):
            def do_GET(self) -> None:
                if self.path.startswith("/api/"):
                    return self.answer("GET")
                if self.path == "/swagger-initializer.js":
                    script = (APPS / "swagger-initializer.js").read_text()
                    return self.send(200, script, "text/javascript")
                return super().do_GET()

            def do_POST(self) -> None:
                self.answer("POST")

            def do_PUT(self) -> None:
                self.answer("PUT")

            def do_DELETE(self) -> None:
                self.answer("DELETE")

            def answer(self, method: str) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size).decode()
                code, result = store.serve_api(method, self.path, body)
                self.send(code, json.dumps(result), "application/json")

            def send(self, code: int, text: str, kind: str) -> None:
                data = text.encode()
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        handler = functools.partial(Handler, directory=str(NODE_MODULES / self.where))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def reset(self) -> None:
        self.pets = {1: {"id": 1, "name": "Rex", "status": "available"}, 2: {"id": 2, "name": "Mia", "status": "sold"}}
        self.asked = []

    def serve_api(self, method: str, path: str, body: str) -> tuple[int, Any]:
        if path == "/api/spec.json":
            return 200, json.loads((APPS / "pets.json").read_text())
        self.asked.append([method, path, body])
        parts = path.partition("?")[0].split("/")[2:]
        if method == "POST":
            pet = json.loads(body)
            self.pets[pet["id"]] = pet
            return 201, pet
        if len(parts) == 2 and parts[1].isdigit():
            number = int(parts[1])
            if number not in self.pets:
                return 404, {"message": "no such pet"}
            return (200, self.pets.pop(number)) if method == "DELETE" else (200, self.pets[number])
        return 200, list(self.pets.values())

    def state(self) -> Any:
        return {"pets": list(self.pets.values()), "asked": list(self.asked)}


class CallsProgram(Program):
    """A program that writes down what its functions were called with."""

    @property
    def calls(self) -> Path:
        return self.folder / "calls.jsonl"

    def reset(self) -> None:
        self.calls.write_text("")

    def state(self) -> Any:
        return (
            [json.loads(line) for line in self.calls.read_text(encoding="utf-8").splitlines()]
            if self.calls.exists()
            else []
        )


class PizzaDesk(CallsProgram):
    title = "Gradio"

    def command(self) -> list[str]:
        return [str(PYTHON), str(APPS / "gradio_app.py"), str(self.calls), str(self.port)]


class TripPlanner(CallsProgram):
    title = "Streamlit"

    def command(self) -> list[str]:
        return [
            str(PYTHON), "-m", "streamlit", "run", str(APPS / "streamlit_app.py"), "--server.port", str(self.port),
            "--server.address", "127.0.0.1", "--server.headless", "true", "--browser.gatherUsageStats", "false",
        ]  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {"CALLS": str(self.calls)}


class Wiki(Program):
    """TiddlyWiki on its own server; its state is its tiddlers."""

    title = "TiddlyWiki"

    def command(self) -> list[str]:
        program, wiki = str(NODE_MODULES / "tiddlywiki/tiddlywiki.js"), self.folder / "wiki"
        shutil.rmtree(wiki, ignore_errors=True)
        subprocess.run(["node", program, str(wiki), "--init", "server"], check=True, capture_output=True)
        (wiki / "tiddlers").mkdir(exist_ok=True)
        for title, text, tags in (("Shopping", "Milk and eggs", "home"), ("Garden", "Water the roses", "home plants")):
            (wiki / "tiddlers" / f"{title}.tid").write_text(f"title: {title}\ntags: {tags}\n\n{text}")
        return ["node", program, str(wiki), "--listen", f"port={self.port}", "host=127.0.0.1"]

    def reset(self) -> None:
        """It also remembers which tiddlers are open: only a new start forgets that."""
        self.stop()
        self.start()

    def state(self) -> Any:
        found: dict[str, Any] = {}
        for one in call_http(f"{self.url}recipes/default/tiddlers.json"):
            if one["title"].startswith("Draft of "):
                continue  # what is being edited, as long as it is
            whole = call_http(f"{self.url}recipes/default/tiddlers/{quote(one['title'], safe='')}")
            found[one["title"]] = [whole.get("text", ""), sorted(str(whole.get("tags", "")).split())]
        return found


class Notebooks(Program):
    """JupyterLab; its state are the files of its folder."""

    title = "JupyterLab"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/lab"

    @property
    def files(self) -> Path:
        return self.folder / "files"

    def command(self) -> list[str]:
        self.files.mkdir(exist_ok=True)
        return [
            str(PYTHON), "-m", "jupyterlab", "--no-browser", f"--ServerApp.port={self.port}",
            "--ServerApp.ip=127.0.0.1",
            "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
            "--ServerApp.allow_root=True", f"--ServerApp.root_dir={self.files}",
            "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ]  # fmt: skip

    def reset(self) -> None:
        for session in call_http(f"http://127.0.0.1:{self.port}/api/sessions"):
            call_http(f"http://127.0.0.1:{self.port}/api/sessions/{session['id']}", "DELETE")
        shutil.rmtree(self.folder / ".jupyter", ignore_errors=True)
        for path in self.files.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.files / "notes.txt").write_text("first line\n")
        (self.files / "data").mkdir()

    def state(self) -> Any:
        found: dict[str, Any] = {}
        for path in sorted(self.files.rglob("*")):
            name = str(path.relative_to(self.files))
            if ".ipynb_checkpoints" in name:
                continue
            if path.suffix == ".ipynb":
                found[name] = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
            else:
                found[name] = path.read_text() if path.is_file() else "folder"
        return found


class Flows(Program):
    """Node-RED; its state is what its own interface says is deployed."""

    title = "Node-RED"

    def command(self) -> list[str]:
        return [
            "node", str(NODE_MODULES / "node-red/red.js"), "--port", str(self.port), "--userDir", str(self.folder),
            "-D", "uiHost=127.0.0.1", "-D", "editorTheme.tours=false", "-D", "telemetry.enabled=false",
            "-D", "telemetry.updateNotification=false",
        ]  # fmt: skip

    def answers(self) -> bool:
        try:
            return isinstance(call_http(f"{self.url}flows"), list)
        except OSError:
            return False

    def reset(self) -> None:
        flows = [
            {"id": "f1", "type": "tab", "label": "Flow 1", "disabled": False, "info": ""},
            {
                "id": "n1",
                "type": "inject",
                "z": "f1",
                "name": "start",
                "topic": "",
                "payload": "",
                "payloadType": "date",
                "repeat": "",
                "once": False,
                "x": 160,
                "y": 100,
                "wires": [["n2"]],
            },
            {
                "id": "n2",
                "type": "debug",
                "z": "f1",
                "name": "out",
                "active": True,
                "tosidebar": True,
                "console": False,
                "complete": "payload",
                "x": 360,
                "y": 100,
                "wires": [],
            },
        ]
        call_http(f"{self.url}flows", "POST", flows)

    def state(self) -> Any:
        kept = ("type", "label", "name", "disabled", "active", "info", "d")
        return sorted(
            json.dumps({key: node[key] for key in kept if key in node}, sort_keys=True)
            for node in call_http(f"{self.url}flows")
        )


PROGRAMS: tuple[type[Program], ...] = (
    Library,
    ReactTodos,
    BackboneTodos,
    PetStore,
    PizzaDesk,
    TripPlanner,
    Wiki,
    Notebooks,
    Flows,
)
