"""The settings of a login by HTTP authentication."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class LoginSettings(BaseModel):
    """A user name and a password for a site that asks for them by HTTP authentication."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    site: Annotated[str, Field(min_length=1)]
    """Host of the site, with its port if it has one of its own: `intranet.example:8080`."""
    user: str
    """User name."""
    password: SecretStr | None = None
    """The password itself; password_env keeps it out of the settings file."""
    password_env: str = ""
    """Environment variable that holds the password."""
