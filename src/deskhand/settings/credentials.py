"""Reads the key of a model endpoint and the value of a secret from where the settings say they are kept."""

from pydantic import SecretStr

from deskhand.core.errors import ModelUnavailable, SettingsError
from deskhand.settings.environment import find_settings_file, read_environment
from deskhand.settings.schema import EndpointSettings, LoginSettings, SecretsSettings
from deskhand.settings.secret_store import find_secret


def read_secret(name: str, settings: SecretsSettings) -> str:
    """Return a secret's value. May wait for a keyring that the user has to unlock."""
    file = settings.file or find_settings_file().with_name("secrets.toml")
    return find_secret(name, read_environment(), file, settings.keyring)


_KEY_VARIABLES: dict[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def read_password(login: LoginSettings) -> str:
    """Return the password of a site, from the settings or its variable."""
    if login.password:
        return login.password.get_secret_value()
    return read_environment().get(login.password_env, "") if login.password_env else ""


def read_key(endpoint: EndpointSettings) -> SecretStr:
    """Return the endpoint's key, from its settings, its file or its variable; empty where none is needed."""
    if endpoint.api_key:
        return endpoint.api_key
    if endpoint.key_file:
        try:
            return SecretStr(endpoint.key_file.read_text(encoding="utf-8").strip())
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"The key file {endpoint.key_file} can't be read: {error}.") from None
    variable = endpoint.api_key_env or _KEY_VARIABLES.get(endpoint.provider, "")
    key = read_environment().get(variable, "").strip() if variable else ""
    if not key and (endpoint.api_key_env or (variable and not endpoint.base_url)):
        raise ModelUnavailable(
            f"There is no key for {endpoint.model}: set the variable {variable}, or name a key_file in its settings."
        )
    return SecretStr(key)
