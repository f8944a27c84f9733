"""The phone's shell as adb users meet it: streams, exit codes, quoting, pipes, redirects."""

import asyncio

import pytest

from tests.conftest import ConnectedPhone


async def test_shell_v2_keeps_the_streams_apart_and_gives_the_exit_code(sim: ConnectedPhone) -> None:
    assert await sim.shell("echo out; echo err >&2; exit 7") == (7, "out\n", "err\n")


async def test_shell_v1_mixes_the_streams_and_always_ends_well(sim: ConnectedPhone) -> None:
    assert await sim.adb_run("shell", "-x", "echo out; ls /nope; exit 7") == (
        0,
        "out\nls: /nope: No such file or directory\n",
        "",
    )


async def test_exec_ends_the_shell_with_the_status_of_its_command(sim: ConnectedPhone) -> None:
    assert await sim.shell("exec sh -c 'exit 9'; echo never") == (9, "", "")
    assert await sim.shell("exec frobnicate") == (127, "", "/system/bin/sh: frobnicate: inaccessible or not found\n")


async def test_an_unfinished_loop_is_a_syntax_error(sim: ConnectedPhone) -> None:
    for line in ("for i in 1 2; do echo $i", "while true", "if true; then", "done", "case x in", "( echo a"):
        code, out, err = await sim.shell(line)
        assert (code, out) == (1, ""), line
        assert "syntax error: unexpected" in err


async def test_a_script_on_standard_input_may_have_commands_of_several_lines(sim: ConnectedPhone) -> None:
    script = b"for i in 1 2\ndo\n  echo $i\ndone\nif true\nthen echo yes\nfi\nexit 4\n"
    assert await sim.adb_run("shell", "-T", stdin=script) == (4, "1\n2\nyes\n", "")


async def test_a_loop_without_end_ends_with_its_host(sim: ConnectedPhone) -> None:
    with pytest.raises(TimeoutError):
        await sim.adb.run("-s", sim.serial, "shell", "while true; do :; done", timeout=1)
    assert await sim.out("echo alive") == "alive\n"


async def test_an_unknown_command_is_not_found(sim: ConnectedPhone) -> None:
    assert await sim.shell("frobnicate") == (127, "", "/system/bin/sh: frobnicate: inaccessible or not found\n")


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("echo one two", "one two\n"),
        ("echo 'one  two' \"three  four\" five\\ \\ six", "one  two three  four five  six\n"),
        ('echo "it\'s \\"quoted\\" \\$HOME"', 'it\'s "quoted" $HOME\n'),
        ("echo $USER ${HOME}x $nothing.", "shell /x .\n"),
        ("X=5; echo $X", "5\n"),
        ("echo a; echo b", "a\nb\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("false; echo $?", "1\n"),
        ("frobnicate 2>/dev/null; echo $?", "127\n"),
        ("! false && echo yes", "yes\n"),
        ("echo $(whoami) `whoami`", "shell shell\n"),
        ('echo "$(printf "a\\nb\\n")"', "a\nb\n"),
        ("printf '%s=%d\\n' a 5", "a=5\n"),
        ("echo -n x; echo -e 'a\\tb'", "xa\tb\n"),
        ("printf 'b\\na\\nb\\n' | sort -u", "a\nb\n"),
        ("printf 'one\\ntwo\\nthree\\n' | grep -n t", "2:two\n3:three\n"),
        ("printf 'one\\ntwo\\nthree\\n' | grep -v t", "one\n"),
        ("printf 'one\\ntwo\\n' | grep -E 'one|two' | wc -l", "2\n"),
        ("printf 'one\\ntwo\\n' | grep 'one\\|two' | tail -n 1", "two\n"),
        ("printf 'one\\ntwo\\nthree\\n' | grep -ci T", "2\n"),
        ("printf 'a=1 b=2\\n' | grep -o 'b=.'", "b=2\n"),
        ("printf '1\\n2\\n3\\n' | head -2 | tail -1", "2\n"),
        ("printf '1\\n2\\n3\\n' | tail -n +2", "2\n3\n"),
        ("printf abcdef | head -c 3", "abc"),
        ("printf 'a b\\nc\\n' | wc", "2 3 6\n"),
        ("echo 你好 | base64", "5L2g5aW9Cg==\n"),
        ("echo 5L2g5aW9Cg== | base64 -d", "你好\n"),
        ("printf hello | gzip | gzip -d", "hello"),
        ("printf a | md5sum", "0cc175b9c0f1b6a831c399e269772661  -\n"),
        ("sh -c 'echo inner; exit 3'; echo $?", "inner\n3\n"),
        ("for i in 1 2 3; do echo $i; done", "1\n2\n3\n"),
        ("for f in $(seq 2); do for g in a b; do echo $f$g; done; done | wc -l", "4\n"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done", "1\n2\n3\n"),
        ("i=5; until [ $i -le 3 ]; do i=$(( $i - 1 )); done; echo $i", "3\n"),
        ("for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done", "1\n3\n"),
        ("printf 'a 1\\nb 2\\n' | while read name value; do echo $value-$name; done", "1-a\n2-b\n"),
        ("while true; do echo once; break; done", "once\n"),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"),
        ("if [ -d /sdcard ]; then echo there; fi", "there\n"),
        ("case phone in tab*) echo t;; ph*|x) echo p;; *) echo other;; esac", "p\n"),
        ("X=1; (X=2; echo $X); { echo $X; }", "2\n1\n"),
        ("for i in 1 2; do echo $i; done > /sdcard/out; cat /sdcard/out", "1\n2\n"),
        ("exec echo last; echo never", "last\n"),
        ("echo do done for in", "do done for in\n"),
        ("echo $((2 + 3 * 4)) $((7 / 2)) $((7 % 4))", "14 3 3\n"),
        ("cd /sdcard; pwd; ls -d .", "/storage/emulated/0\n.\n"),
        ("test -d /sdcard && [ 3 -gt 2 ] && [ a != b ] && test -z '' && echo ok", "ok\n"),
        ("test -f /sdcard || echo no file", "no file\n"),
        ("[ ! -e /nope ] && echo absent", "absent\n"),
        ("export A=1; env | grep '^A='", "A=1\n"),
        ("# only a comment", ""),
        ("sleep 0.01 & echo started", "started\n"),
        ("which ls nope", "/system/bin/ls\n"),
        ("/system/bin/whoami", "shell\n"),
        ("id -u; uname -m; uname", "2000\naarch64\nLinux\n"),
        ("date +%Y | wc -c", "5\n"),
        ("logcat -c; logcat -d", "--------- beginning of main\n"),
    ],
)
async def test_a_line_prints(sim: ConnectedPhone, line: str, output: str) -> None:
    code, out, err = await sim.shell(line)
    assert (out, err) == (output, "")
    assert code in (0, 1)


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        ("echo 'open", 1, "no closing quote"),
        ("echo a | ; b", 1, "unexpected ';'"),
        ("&& a", 1, "unexpected '&&'"),
        ("a ||", 1, "unexpected EOF"),
        ("echo (ls)", 1, "unexpected '('"),
        ("echo x >", 1, "unexpected 'newline'"),
        ("echo x > /system/x", 1, "can't create /system/x: Read-only file system"),
        ("cat < /nope", 1, "can't open /nope: No such file or directory"),
        ("cat /nope", 1, "cat: /nope: No such file or directory"),
        ("cd /nope", 2, "cd: /nope: No such file or directory"),
        ("[ a", 2, "missing ]"),
        ("grep", 2, "no REGEX"),
        ("echo a | grep -E '('", 1, "bad REGEX"),
        ("echo a | head -n x", 1, "not integer: x"),
        ("echo '***' | base64 -d", 0, ""),
        ("echo x | gzip -d", 1, "bad magic"),
        ("sleep soon", 1, "not a number 'soon'"),
        ("sleep", 1, "Needs 1 argument"),
        ("printf", 1, "Needs 1 argument"),
        ("sh /nope", 2, "can't open /nope"),
    ],
)
async def test_a_wrong_line_says_what_is_wrong(sim: ConnectedPhone, line: str, code: int, error: str) -> None:
    got, _, err = await sim.shell(line)
    assert (got, error in err) == (code, True), err


async def test_redirects_write_append_and_merge(sim: ConnectedPhone) -> None:
    await sim.out("echo one > /sdcard/f; echo two >> /sdcard/f")
    assert await sim.out("cat /sdcard/f") == "one\ntwo\n"
    await sim.shell("ls /nope > /sdcard/f 2>&1")
    assert await sim.out("cat < /sdcard/f") == "ls: /nope: No such file or directory\n"
    assert await sim.out("ls /nope 2>/dev/null; echo $?") == "1\n"


async def test_standard_input_reaches_the_command(sim: ConnectedPhone) -> None:
    assert await sim.shell("cat | wc -c", stdin=b"x" * 300_000) == (0, "300000\n", "")


async def test_exec_in_writes_a_file(sim: ConnectedPhone) -> None:
    await sim.adb_run("exec-in", "cat > /sdcard/in", stdin=b"\x00\x01data")

    async with asyncio.timeout(10):
        while sim.sim.system.files.read_file("/sdcard/in") != b"\x00\x01data":
            await asyncio.sleep(0.01)


async def test_a_script_on_standard_input_runs_line_by_line(sim: ConnectedPhone) -> None:
    code, out, err = await sim.adb_run("shell", stdin=b"echo one\nnope\necho $?\ncd /sdcard\npwd\nexit 5\necho never\n")
    assert (code, out) == (5, "one\n127\n/storage/emulated/0\n")
    assert err == "/system/bin/sh: nope: inaccessible or not found\n"


async def test_a_person_at_a_terminal_gets_a_prompt_an_echo_and_can_interrupt(sim: ConnectedPhone) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.adb.port)
    for request in (f"host:transport:{sim.serial}", "shell:"):
        writer.write(f"{len(request):04x}{request}".encode())
        assert await reader.readexactly(4) == b"OKAY"
    writer.write(b"echo hxx\x7f\x7fi\r")
    await asyncio.wait_for(reader.readuntil(b"hi\r\nhi\r\nsimphone:/ $ ".removeprefix(b"hi\r\n")), 10)
    writer.write(b"sleep 100\r")
    await asyncio.wait_for(reader.readuntil(b"sleep 100\r\n"), 10)
    writer.write(b"\x03")
    await asyncio.wait_for(reader.readuntil(b"^C\r\nsimphone:/ $ "), 10)
    writer.write(b"abc\x03")
    await asyncio.wait_for(reader.readuntil(b"abc^C\r\nsimphone:/ $ "), 10)
    writer.write(b"\x04")
    assert await asyncio.wait_for(reader.read(), 10) == b""
    writer.close()
    await writer.wait_closed()


async def test_ps_and_pidof_show_the_app_in_front(sim: ConnectedPhone) -> None:
    package = sim.phone.windows.foreground[0]
    assert package in await sim.out("ps -A")
    assert await sim.out(f"pidof {package}") == "5120\n"
    assert (await sim.shell("pidof no.such"))[0] == 1


async def test_text_tools_take_their_options(sim: ConnectedPhone) -> None:
    assert await sim.out("printf 'a.b\\naxb\\n' | grep -F a.b") == "a.b\n"
    assert await sim.out("printf 'cat\\nconcat\\n' | grep -w cat; printf 'cat\\ncats\\n' | grep -x cat") == "cat\ncat\n"
    assert await sim.out("printf 'a\\na\\n' | grep -m 1 -e a") == "a\n"
    assert await sim.out("printf abc | base64 -w 2; printf abc | base64 -w0") == "YW\nJj\nYWJj"
    assert await sim.out("printf abcdef | tail -c 2; printf 'x\\n' > /sdcard/x; wc -c /sdcard/x") == "ef2 /sdcard/x\n"
    assert (await sim.out("uptime")).startswith(" ")
    assert await sim.out("printf '100%%\\n'; [ 1 -lt 2 ] && [ -n x ] && [ -s /system/build.prop ] && echo ok") == (
        "100%\nok\n"
    )
