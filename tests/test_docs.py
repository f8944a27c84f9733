"""The programs in the documentation run as they stand, and print what they say they print."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from tests.conftest import Adb

ROOT = Path(__file__).parent.parent
LIMIT_S = 120


def programs() -> list[tuple[str, str]]:
    """Every Python block, by the heading that it stands under."""
    found: list[tuple[str, str]] = []
    for file in ("README.md", "README.zh-CN.md", "docs/api.md"):
        heading = ""
        for part in re.split(r"^(#+ [^\n]*|```python\n.*?^```)$", (ROOT / file).read_text("utf-8"), flags=re.M | re.S):
            if part.startswith("```python"):
                found.append((f"{file}: {heading}", part.removeprefix("```python\n").removesuffix("```")))
            elif part.startswith("#"):
                heading = part.lstrip("# ")
    return found


@pytest.mark.parametrize(("where", "program"), programs(), ids=[where for where, _ in programs()])
async def test_a_program_of_the_documentation_runs(tmp_path: Path, adb: Adb, where: str, program: str) -> None:
    ours = {
        "DESKHAND_CONFIG": str(tmp_path / "config.toml"),
        "DESKHAND_DATA_DIR": str(tmp_path / "data"),
        "DESKHAND_ADB__PORT": str(adb.port),
    }
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", str(tmp_path / "program.py"),
        env=os.environ | ours, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(LIMIT_S):
        out, err = await process.communicate()
    assert (process.returncode, err.decode()) == (0, ""), where
    promised = re.findall(r"# > (.*)", program)
    if promised:
        assert out.decode().splitlines() == promised


def test_every_part_of_the_api_has_a_program() -> None:
    assert len([where for where, _ in programs() if where.startswith("docs/api.md")]) >= 9


def test_the_chinese_readme_mirrors_the_english_one() -> None:
    english, chinese = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh-CN.md"))
    for part in (r"^#+ ", r"^\|", r"deskhand (?:run|chat) --?\w+", r"\]\((docs/[^)]+)\)"):
        assert re.findall(part, english, re.M) == re.findall(part, chinese, re.M)
