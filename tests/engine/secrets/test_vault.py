"""What the vault fills in, where it finds a value again, and what it leaves alone."""

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from deskhand.core.errors import SettingsError
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.engine.secrets.vault import HIDDEN, Vault
from deskhand.settings.credentials import read_secret
from deskhand.settings.environment import read_session_environment
from deskhand.settings.load import load
from deskhand.settings.schema import SecretsSettings

BOX = Rect(0, 0, 10, 10)


async def knowing(**values: str) -> Vault:
    vault = Vault(values.__getitem__)
    await vault.learn_values(values)
    return vault


async def test_a_placeholder_becomes_its_value_and_the_value_its_placeholder() -> None:
    vault = await knowing(MAIL_PASSWORD="Zebra-Quartz-4711", USER="ada.lovelace")
    text = "{{secret:USER}} / {{ secret:mail_password }}"
    assert vault.fill_text(text) == "ada.lovelace / Zebra-Quartz-4711"
    assert vault.scrub_text(vault.fill_text(text)) == "{{secret:USER}} / {{secret:MAIL_PASSWORD}}"


@pytest.mark.parametrize(
    "shown",
    [
        "p@ss wörd&<1>'",
        "P@SS WÖRD&<1>'",
        "p@ss\n  wörd&<1>'",
        "p%40ss%20w%C3%B6rd%26%3C1%3E%27",
        "p%40ss+w%C3%B6rd%26%3C1%3E%27",
        "p@ss w\\u00f6rd&<1>'",
        "p@ss wörd&amp;&lt;1&gt;&#x27;",
        "p@ss%swörd&<1>'",
        "cEBzcyB3w7ZyZCY8MT4n",
    ],
)
async def test_a_value_is_found_however_it_is_written(shown: str) -> None:
    vault = await knowing(PW="p@ss wörd&<1>'")
    assert vault.scrub_text(f"so {shown}.") == "so {{secret:PW}}."


async def test_numbers_are_found_in_groups_and_short_ones_only_on_their_own() -> None:
    vault = await knowing(CARD="4111222233334444", PIN="1234")
    assert vault.scrub_text("4111 2222-3333 4444") == "{{secret:CARD}}"
    assert vault.scrub_text("PIN 1234, order 99123456, f1234a") == "PIN {{secret:PIN}}, order 99123456, f1234a"


async def test_the_longer_value_wins_and_placeholders_are_left_alone() -> None:
    vault = await knowing(A="hunter", B="hunter2", C="secret")
    assert (
        vault.scrub_text("hunter2 hunter {{secret:A}} secret") == "{{secret:B}} {{secret:A}} {{secret:A}} {{secret:C}}"
    )


async def test_of_two_with_the_same_value_the_one_typed_last_is_seen() -> None:
    vault = await knowing(A="same-value", B="same-value")
    for name in ("{{secret:A}}", "{{secret:B}}", "{{secret:A}}"):
        assert vault.scrub_text(vault.fill_text(name)) == name


async def test_elements_show_placeholders_and_a_half_typed_value_shows_nothing() -> None:
    vault = await knowing(USER="ada.lovelace")
    echoed = Element(1, "text", BOX, name="Welcome, Ada.Lovelace!", id="hello")
    half = Element(2, "field", BOX, name="User", value="ada.lov", editable=True)
    other = Element(3, "text", BOX, name="Ada")
    assert vault.scrub_element(echoed).name == "Welcome, {{secret:USER}}!"
    assert vault.scrub_element(half).value == HIDDEN
    assert vault.scrub_element(other) is other


@pytest.mark.parametrize("left", ["xada.lovelac", "da.lovelace", "Dr. ada.lo", "{{secret:USER}} ada.lov"])
async def test_what_is_left_of_a_value_is_hidden_whatever_stands_around_it(left: str) -> None:
    vault = await knowing(USER="ada.lovelace", PIN="1234")
    field = Element(2, "field", BOX, name="User", value=left, editable=True)
    assert vault.shows_value(field)
    assert vault.scrub_element(field).value == HIDDEN
    other = Element(3, "field", BOX, name="Phone", value="13800123000, Ada", editable=True)
    assert vault.scrub_element(other) is other


@pytest.mark.parametrize("line", ["Welcome, ada.love1ace!", "ada lovelace", "xx ada.loveIace yy", "lovelace"])
async def test_what_was_misread_on_a_picture_is_found_all_the_same(line: str) -> None:
    vault = await knowing(USER="ada.lovelace")
    read = Element(1, "text", BOX, name=line, source="ocr")
    assert vault.shows_value(read)
    assert "lov" not in vault.scrub_element(read).name.casefold()


@given(st.text(min_size=6, max_size=40).filter(lambda value: value.strip() == value and "secret:" not in value.lower()))
async def test_any_value_comes_back_as_its_placeholder(value: str) -> None:
    vault = await knowing(X=value)
    assert value not in vault.scrub_text(f"<{vault.fill_text('{{secret:X}}')}>").replace("{{secret:X}}", "")


async def test_a_vault_does_not_show_its_values() -> None:
    assert "hunter2" not in f"{await knowing(PW='hunter2')!r}"


# --- where values are kept ------------------------------------------------------------------------------------------


class Ring(KeyringBackend):
    """A keyring in memory, which may be locked."""

    priority = 1

    def __init__(self, locked: bool = False) -> None:
        super().__init__()
        self.locked = locked
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("s3cret details")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.fixture
def ring() -> Iterator[None]:
    """No keyring of this machine's is asked."""
    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    keyring.set_password("work", "RINGED", "from the ring")
    yield
    keyring.set_keyring(before)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "secrets.toml"
    file.write_text('FILED = "from the file"\nBOTH = "from the file"\nNUMBER = 1234\n')
    file.chmod(0o600)
    return file


def test_a_value_comes_from_a_variable_then_the_file_then_the_keyring(
    file: Path, ring: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SecretsSettings(file=file, keyring="work")
    monkeypatch.setenv("DESKHAND_SECRET_BOTH", "from the variable")
    monkeypatch.setenv("DESKHAND_SECRET_MAIL_PASSWORD", "from the variable")
    found = [read_secret(name, settings) for name in ("BOTH", "mail-password", "FILED", "RINGED")]
    assert found == ["from the variable", "from the variable", "from the file", "from the ring"]
    with pytest.raises(SettingsError):
        read_secret("RINGED", SecretsSettings(file=file, keyring=""))


def test_without_a_file_named_it_lies_beside_the_settings(
    file: Path, ring: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_CONFIG", str(file.with_name("config.toml")))
    assert read_secret("FILED", SecretsSettings()) == "from the file"


def test_a_missing_secret_is_said_with_every_place_that_was_looked_at(file: Path, ring: None) -> None:
    with pytest.raises(SettingsError) as caught:
        read_secret("my.token", SecretsSettings(file=file))
    assert str(caught.value) == (
        "There is no value for {{secret:my.token}}: looked for the variable DESKHAND_SECRET_MY_TOKEN, "
        f'my.token in {file}, "deskhand" in the keyring.'
    )


def test_a_file_that_others_can_read_is_refused(file: Path) -> None:
    file.chmod(0o644)
    with pytest.raises(SettingsError, match=r"can be read by others \(mode 644\): chmod 600 /"):
        read_secret("FILED", SecretsSettings(file=file))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b'PW = "hunter2', "is no TOML"), (b"\xff\xfe", "can't be read"), (b"PW = 1234", "is no text")],
)
def test_a_file_that_can_not_be_read_is_said_without_its_content(file: Path, content: bytes, complaint: str) -> None:
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=complaint) as caught:
        read_secret("PW", SecretsSettings(file=file))
    assert str(file) in str(caught.value)
    assert not {"hunter2", "1234"} & set(str(caught.value).replace('"', " ").split())


def test_a_folder_instead_of_a_file_is_a_clear_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "secrets.toml"
    folder.mkdir(mode=0o700)
    with pytest.raises(SettingsError, match=r"secrets\.toml can't be read: Is a directory\."):
        read_secret("PW", SecretsSettings(file=folder))


def test_a_locked_keyring_is_a_clear_sentence(file: Path, ring: None) -> None:
    keyring.set_keyring(Ring(locked=True))
    with pytest.raises(SettingsError, match=r"^The keyring does not give out PW: KeyringLocked\.$"):
        read_secret("PW", SecretsSettings(file=file))


def test_variables_of_secrets_are_no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DESKHAND_SECRET_PW", "hunter2")
    assert "hunter2" not in repr(load(file=tmp_path / "none.toml"))
    assert "DESKHAND_SECRET_PW" not in read_session_environment()
