"""The screen as pixels, numbers and a tree, in the formats of Android 13."""

import asyncio
import gzip
import io
import struct
import xml.etree.ElementTree as ET

import pytest
from PIL import Image

from tests.conftest import ConnectedPhone


async def capture(sim: ConnectedPhone, line: str) -> bytes:
    code, out, err = await sim.adb.run_bytes("-s", sim.serial, "exec-out", line)
    assert code == 0, err
    return out


async def test_raw_capture_is_a_header_and_the_pixels(sim: ConnectedPhone) -> None:
    data = await capture(sim, "screencap")
    assert struct.unpack_from("<4I", data) == (1080, 2400, 1, 1)
    image = Image.frombytes("RGBA", (1080, 2400), data[16:])
    assert image.tobytes() == sim.phone.display.take_screenshot().tobytes()


async def test_png_capture_shows_the_same_pixels(sim: ConnectedPhone) -> None:
    data = await capture(sim, "screencap -p")
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.mode) == ("PNG", "RGBA")
    assert image.tobytes() == sim.phone.display.take_screenshot().tobytes()


async def test_a_capture_through_shell_v2_is_whole_too(sim: ConnectedPhone) -> None:
    code, out, _ = await sim.adb.run_bytes("-s", sim.serial, "shell", "screencap -p")
    assert (code, Image.open(io.BytesIO(out)).size) == (0, (1080, 2400))


async def test_a_capture_can_be_compressed_on_its_way(sim: ConnectedPhone) -> None:
    packed = await capture(sim, "screencap | gzip -1")
    assert len(packed) < 3_000_000
    assert len(gzip.decompress(packed)) == 16 + 1080 * 2400 * 4


async def test_a_capture_can_go_to_a_file(sim: ConnectedPhone) -> None:
    await sim.out("screencap -p /sdcard/s; screencap /sdcard/t.png; screencap -d 0 /sdcard/u")
    assert sim.sim.system.files.read_file("/sdcard/s").startswith(b"\x89PNG")
    assert sim.sim.system.files.read_file("/sdcard/t.png").startswith(b"\x89PNG")
    assert len(sim.sim.system.files.read_file("/sdcard/u")) == 16 + 1080 * 2400 * 4
    code, _, err = await sim.shell("screencap -p /system/s.png")
    assert (code, "Error opening file: /system/s.png" in err) == (1, True)
    assert "usage: screencap" in (await sim.shell("screencap --what"))[2]


async def test_a_turned_phone_gives_a_turned_picture(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("rotated")
    assert struct.unpack_from("<2I", await capture(sim, "screencap")) == (2400, 1080)
    assert await sim.out("wm size") == "Physical size: 1080x2400\n"
    assert "orientation=1" in await sim.out("dumpsys display")
    assert "SurfaceOrientation: 1" in await sim.out("dumpsys input")


async def test_framebuffer_is_served_to_raw_clients(sim: ConnectedPhone) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.adb.port)
    for request in (f"host:transport:{sim.serial}", "framebuffer:"):
        writer.write(f"{len(request):04x}{request}".encode())
        assert await reader.readexactly(4) == b"OKAY"
    version, depth, space, size, *rest = struct.unpack("<14I", await reader.readexactly(56))
    assert (version, depth, space) == (2, 32, 1)
    assert rest == [1080, 2400, 0, 8, 16, 8, 8, 8, 24, 8]
    assert await asyncio.wait_for(reader.readexactly(size), 10) == sim.phone.display.take_screenshot().tobytes()
    assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    await writer.wait_closed()


async def test_wm_tells_and_overrides_size_and_density(sim: ConnectedPhone) -> None:
    assert await sim.out("wm size; wm density") == "Physical size: 1080x2400\nPhysical density: 420\n"
    assert await sim.out("wm size 720x1600; wm size") == "Physical size: 1080x2400\nOverride size: 720x1600\n"
    assert await sim.out("wm density 300; wm density") == "Physical density: 420\nOverride density: 300\n"
    assert await sim.out("wm size reset; wm density reset; wm size") == "Physical size: 1080x2400\n"


@pytest.mark.parametrize("line", ["wm size big", "wm density x", "wm density 10", "wm fly", "wm"])
async def test_wm_refuses_nonsense(sim: ConnectedPhone, line: str) -> None:
    assert (await sim.shell(line))[0] == 255


async def test_the_tree_is_dumped_to_the_usual_file(sim: ConnectedPhone) -> None:
    assert await sim.out("uiautomator dump") == "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    root = ET.fromstring(await sim.out("cat /sdcard/window_dump.xml"))
    assert root.tag == "hierarchy"
    assert root.attrib["rotation"] == "0"
    assert all("bounds" in node.attrib for node in root.iter("node"))


async def test_the_tree_can_go_elsewhere_and_to_the_terminal(sim: ConnectedPhone) -> None:
    assert await sim.out("uiautomator dump --compressed /data/local/tmp/x.xml") == (
        "UI hierchary dumped to: /data/local/tmp/x.xml\n"
    )
    out = (await capture(sim, "uiautomator dump /dev/tty")).decode()
    assert out.startswith("<?xml")
    assert out.endswith("UI hierchary dumped to: /dev/tty\n")
    assert (await sim.shell("uiautomator dump /system/x.xml"))[0] == 1
    assert "Usage: uiautomator" in (await sim.shell("uiautomator"))[2]


async def test_the_tree_waits_for_a_transition_to_end(sim: ConnectedPhone) -> None:
    await sim.out("am start -n com.android.settings/.Settings; uiautomator dump")
    assert not sim.phone.display.is_animating()
    assert 'package="com.android.settings"' in await sim.out("cat /sdcard/window_dump.xml")


async def test_a_screen_that_never_rests_has_no_tree(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("never-idle")
    assert await sim.shell("uiautomator dump") == (0, "", "ERROR: could not get idle state.\n")
