"""Where materials are looked up: real files, a real search server, a real MCP server."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from deskhand.core.errors import DeskhandError, LookupFailed
from deskhand.core.planning import Material
from deskhand.research.passages import MAX_FILE, split_passages
from deskhand.research.sources import MAX_MATERIALS, MaterialSources
from deskhand.settings.schema import McpToolSettings, Settings, SupplementSettings

GOAL = "open the door"


@asynccontextmanager
async def library(**settings: Any) -> AsyncIterator[MaterialSources]:
    shelf = MaterialSources(SupplementSettings.model_validate(settings))
    try:
        yield shelf
    finally:
        await shelf.close()


async def texts(shelf: MaterialSources, need: str, goal: str = GOAL) -> list[str]:
    return [material.text for material in await shelf.look_up(need, goal)]


async def test_without_any_source_nothing_is_found() -> None:
    async with library() as shelf:
        assert await shelf.look_up("door code", GOAL) == ()


# --- files -----------------------------------------------------------------------------------------------------


async def test_a_file_is_found_by_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    file = tmp_path / "deep" / "er" / "office.md"
    file.write_text("# Berlin\n\nThe code of the front door is 4711.\n")
    (tmp_path / "conduct.txt").write_text("Our code of conduct: be kind.")
    async with library(folders=[tmp_path]) as shelf:
        (found,) = await shelf.look_up("What is the door code?", GOAL)
    assert found == Material(
        source=str(file), title="office.md", text="# Berlin\n\nThe code of the front door is 4711."
    )


@pytest.mark.parametrize(
    ("need", "found"),
    [
        ("大门密码", True),
        ("请问上海办公室的大门密码是多少？", True),
        ("密码", True),
        ("wifi密码", True),
        ("WiFi", True),
        ("海", True),
        ("航班号", False),
        ("北京天气怎么样", False),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
async def test_chinese_is_searched_by_words_of_any_length(
    tmp_path: Path, need: str, found: bool, encoding: str
) -> None:
    (tmp_path / "a.txt").write_text("上海办公室：大门的密码是8080，wifi密码是abc。", encoding=encoding)
    async with library(folders=[tmp_path]) as shelf:
        assert bool(await shelf.look_up(need, GOAL)) is found


@pytest.mark.parametrize("need", ["the", "what is it?", "", "!!!", '"', 'door" OR "x', "NEAR(a b)", "words: *"])
async def test_a_need_that_says_nothing_or_is_no_query_finds_nothing_and_breaks_nothing(
    tmp_path: Path, need: str
) -> None:
    (tmp_path / "a.txt").write_text("the quick brown fox")
    async with library(folders=[tmp_path]) as shelf:
        assert await shelf.look_up(need, GOAL) == ()


async def test_the_best_answer_comes_first_and_the_goal_decides_between_equals(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Door code of the garage: 1")
    (tmp_path / "b.txt").write_text("Door code of the office: 2")
    (tmp_path / "c.txt").write_text("Door code of the office in Berlin: 3")
    async with library(folders=[tmp_path]) as shelf:
        assert (await texts(shelf, "door code office berlin"))[0].endswith("3")
        assert (await texts(shelf, "door code", "get into the garage"))[0].endswith("1")


async def test_words_are_found_in_their_other_forms_and_in_the_file_name(tmp_path: Path) -> None:
    (tmp_path / "invoices.csv").write_text("number,amount\n7,120\n")
    async with library(folders=[tmp_path]) as shelf:
        assert await texts(shelf, "the amounts of the invoice") == ["number,amount\n7,120"]


async def test_markup_is_left_out(tmp_path: Path) -> None:
    page = "<html><style>door code</style><script>door code 0</script><p>Door <b>code</b>: &quot;9&quot;</p><p>x</p>"
    (tmp_path / "page.html").write_text(page)
    async with library(folders=[tmp_path]) as shelf:
        (text,) = await texts(shelf, "door code")
    assert " ".join(text.split()) == 'Door code : "9" x'


async def test_a_changed_a_new_and_a_deleted_file_are_noticed(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("the door code is 1")
    async with library(folders=[tmp_path]) as shelf:
        assert await texts(shelf, "door code") == ["the door code is 1"]
        file.write_text("the door code is 22")
        os.utime(file, ns=(1, 1))
        assert await texts(shelf, "door code") == ["the door code is 22"]
        (tmp_path / "b.txt").write_text("garage door code 3")
        assert len(await texts(shelf, "door code")) == 2
        file.unlink()
        assert await texts(shelf, "door code") == ["garage door code 3"]


async def test_hidden_files_links_and_what_is_no_text_are_left_alone(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("door code")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "linked").symlink_to(outside)
    (folder / ".env.txt").write_text("door code")
    (folder / ".git").mkdir()
    (folder / ".git" / "a.txt").write_text("door code")
    (folder / "photo.jpg").write_text("door code")
    (folder / "binary.txt").write_bytes(b"door code\0\0\0")
    (folder / "fine.txt").write_text("door code 5")
    async with library(folders=[folder]) as shelf:
        assert await texts(shelf, "door code") == ["door code 5"]


async def test_a_file_may_be_named_itself(tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("door code 6")
    (tmp_path / "other.txt").write_text("door code 7")
    async with library(folders=[tmp_path / "codes"]) as shelf:
        assert await texts(shelf, "door code") == ["door code 6"]


async def test_a_large_file_is_read_in_part_and_found_by_the_passage(tmp_path: Path) -> None:
    filler = "lorem ipsum dolor sit amet\n" * 4000
    (tmp_path / "log.txt").write_text(f"{filler}the door code is 8\n{filler}")
    (tmp_path / "cut.txt").write_text("密" * MAX_FILE)
    async with library(folders=[tmp_path]) as shelf:
        (found,) = await shelf.look_up("door code", GOAL)
    assert "the door code is 8" in found.text
    assert len(found.text) <= 1500
    assert found.title.startswith("log.txt (part ")


def test_passages_keep_lines_together_and_lose_nothing() -> None:
    lines = [f"line {n} " + "x" * (n % 90) for n in range(300)]
    text = "\n".join(lines)
    parts = split_passages(text)
    assert all(len(part) <= 1500 for part in parts)
    assert "\n".join(parts).split() == text.split()
    assert len(split_passages("y" * 4000)) == 3
    assert split_passages(" \n ") == []


async def test_a_folder_that_does_not_exist_is_said_and_hides_nothing(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    async with library(folders=[missing]) as shelf:
        with pytest.raises(LookupFailed, match=r"missing does not exist: correct the folders under \[supplement\]"):
            await shelf.look_up("door code", GOAL)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.txt").write_text("door code 9")
    async with library(folders=[missing, tmp_path / "there"]) as shelf:
        with pytest.raises(LookupFailed, match="missing does not exist") as caught:
            await shelf.look_up("door code", GOAL)
    assert [material.text for material in caught.value.found] == ["door code 9"]


# --- the web ---------------------------------------------------------------------------------------------------

Answer = Callable[[str], tuple[int, bytes]]


@asynccontextmanager
async def search_server(answer: Answer, seen: list[str] | None = None) -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            target = head.split()[1]
            if seen is not None:
                seen.append(target)
            status, body = answer(target)
            if status == 0:
                await reader.read()
            writer.write(
                f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
            )
            await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def results(*found: Any) -> bytes:
    return json.dumps({"query": "x", "results": list(found)}).encode()


async def test_the_search_endpoint_is_asked_as_searxng_is() -> None:
    seen: list[str] = []
    body = results(
        {"url": "https://a.example/1", "title": "Opening hours", "content": "Mo–Fr 9–17", "score": 1.0},
        {"url": "https://a.example/2", "title": "Nothing", "content": ""},
        {"url": "https://a.example/3", "title": "", "content": "c" * 9000},
        "no result",
    )
    async with search_server(lambda _: (200, body), seen) as url, library(search_url=url + "/") as shelf:
        first, second = await shelf.look_up("opening hours\nof the library 图书馆", GOAL)
    target = urlsplit(seen[0])
    assert target.path == "/search"
    assert parse_qs(target.query) == {"q": ["opening hours of the library 图书馆"], "format": ["json"]}
    assert first == Material(source="https://a.example/1", title="Opening hours", text="Mo–Fr 9–17")
    assert second.title == "https://a.example/3"
    assert len(second.text) == 4000


async def test_a_search_without_results_finds_nothing() -> None:
    async with search_server(lambda _: (200, results())) as url, library(search_url=url) as shelf:
        assert await shelf.look_up("x", GOAL) == ()


@pytest.mark.parametrize(
    ("status", "body", "trouble"),
    [
        (403, b"Forbidden", "refused: allow the json format in its settings"),
        (500, b"", "answered with status 500"),
        (200, b"<html>", "did not answer with a JSON object"),
        (200, b"[1]", "did not answer with a JSON object"),
        (200, b" " * 3_000_000, "more than 2097152 bytes"),
        (0, b"", "took longer than 0.5 s"),
    ],
)
async def test_a_search_that_fails_is_one_sentence(status: int, body: bytes, trouble: str) -> None:
    async with (
        search_server(lambda _: (status, body)) as url,
        library(search_url=url, timeout_s=0.5 if status == 0 else 20) as shelf,
    ):
        with pytest.raises(LookupFailed, match=trouble):
            await shelf.look_up("x", GOAL)


async def test_a_search_that_is_not_there_is_one_sentence() -> None:
    async with search_server(lambda _: (200, b"")) as url:
        pass
    async with library(search_url=url) as shelf:
        with pytest.raises(LookupFailed, match=r"The search at .* can't be reached"):
            await shelf.look_up("x", GOAL)


# --- MCP -------------------------------------------------------------------------------------------------------

SERVER = '''
import sys
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("desk")

@server.tool()
def find(query: str, limit: int = 3) -> str:
    """Look something up."""
    if query == "fail":
        raise ToolError("the archive is closed")
    return "" if query == "nothing" else f"{query}: 4711"

@server.tool()
def pair(first: str, second: str) -> str:
    """Takes too much."""
    return first + second

print("the desk is open", file=sys.stderr)
server.run()
'''


@pytest.fixture
def desk(tmp_path: Path) -> dict[str, Any]:
    script = tmp_path / "desk.py"
    script.write_text(SERVER)
    return {"command": [sys.executable, str(script)], "tool": "find"}


async def test_a_tool_of_an_mcp_server_is_asked(desk: dict[str, Any]) -> None:
    async with library(mcp=[desk], timeout_s=60) as shelf:
        (found,) = await shelf.look_up("door code", GOAL)
        assert found == Material(source=f"mcp:{sys.executable}", title="find", text="door code: 4711")
        assert await shelf.look_up("nothing", GOAL) == ()


@pytest.mark.parametrize(
    ("change", "need", "trouble"),
    [
        ({}, "fail", "The tool 'find' of .* failed: .*the archive is closed"),
        ({"tool": "seek"}, "x", "has no tool 'seek'; it has: find, pair"),
        ({"tool": "pair"}, "x", "takes more than one text"),
        ({"command": ["/does/not/exist"]}, "x", "The MCP server /does/not/exist failed"),
        ({"command": [sys.executable, "-c", "raise SystemExit('no licence')"]}, "x", "no licence"),
    ],
)
async def test_an_mcp_tool_that_fails_is_one_sentence(
    desk: dict[str, Any], change: dict[str, Any], need: str, trouble: str
) -> None:
    async with library(mcp=[desk | change], timeout_s=60) as shelf:
        with pytest.raises(LookupFailed, match=trouble):
            await shelf.look_up(need, GOAL)


async def test_an_mcp_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = f"import os, sys; open({str(pid)!r}, 'w').write(str(os.getpid())); sys.stdin.read()"
    async with library(mcp=[{"command": [sys.executable, "-c", code], "tool": "find"}], timeout_s=3) as shelf:
        with pytest.raises(LookupFailed, match="took longer than 3 s"):
            await shelf.look_up("x", GOAL)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


# --- together --------------------------------------------------------------------------------------------------


async def test_all_sources_are_asked_and_a_broken_one_is_said_and_hides_nothing(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.txt").write_text(f"door code {number}")
    found = results(*({"url": str(n), "title": "t", "content": f"web {n}"} for n in range(9)))
    broken = {"command": ["/does/not/exist"], "tool": "x"}
    async with (
        search_server(lambda _: (200, found)) as url,
        library(folders=[tmp_path], search_url=url, mcp=[broken]) as shelf,
    ):
        with pytest.raises(LookupFailed, match="/does/not/exist failed") as caught:
            await shelf.look_up("door code", GOAL)
    listed = [material.text for material in caught.value.found]
    assert len(listed) == MAX_MATERIALS
    assert listed[0].startswith("door code")
    assert listed[-1].startswith("web")


async def test_troubles_are_told_together_when_nothing_was_found(tmp_path: Path) -> None:
    broken = {"command": ["/does/not/exist"], "tool": "x"}
    async with library(folders=[tmp_path / "no"], mcp=[broken]) as shelf:
        with pytest.raises(DeskhandError, match=r"no does not exist.*exist failed"):
            await shelf.look_up("door code", GOAL)


def test_the_settings_name_what_is_read() -> None:
    settings = Settings.model_validate(
        {"supplement": {"folders": ["~/notes"], "mcp": [{"command": ["a", "b"], "tool": "c"}]}}
    )
    assert settings.supplement.mcp == (McpToolSettings(command=("a", "b"), tool="c"),)
    with pytest.raises(ValueError, match="search_url"):
        SupplementSettings(search_url="searx.example")
