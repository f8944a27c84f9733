"""Django admin over a small library. Run as a program: library_site.py DATABASE PORT."""

import datetime
import sys
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

DATABASE, PORT = sys.argv[1], int(sys.argv[2])
settings.configure(
    DEBUG=True,
    SECRET_KEY="exam",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["127.0.0.1"],
    INSTALLED_APPS=[
        "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
        "django.contrib.messages", "django.contrib.staticfiles", "library",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ]},
    }],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE}},
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    STATIC_URL="/static/",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)  # fmt: skip
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import path  # noqa: E402
from library.models import Author, Book, Tag  # noqa: E402


class BookAdmin(admin.ModelAdmin):
    list_display = ("title", "author", "published", "lent", "pages")
    list_filter = ("lent", "kind")
    search_fields = ("title",)
    filter_horizontal = ()


admin.site.register(Book, BookAdmin)
admin.site.register([Author, Tag])
urlpatterns = [path("admin/", admin.site.urls)]


def fill_database() -> None:
    call_command("migrate", run_syncdb=True, verbosity=0)
    User.objects.create_superuser("admin", "admin@example.com", "pass-4711")
    User.objects.create_user("bea", "bea@example.com", "x")
    herbert, ursula = Author.objects.create(name="Frank Herbert"), Author.objects.create(name="Ursula Le Guin")
    for name in ("Classic", "Desert", "Space"):
        Tag.objects.create(name=name)
    for title, author, pages in (
        ("Dune", herbert, 412),
        ("The Dispossessed", ursula, 341),
        ("Dune Messiah", herbert, 256),
    ):
        Book.objects.create(title=title, author=author, published=datetime.date(1969, 1, 2), pages=pages)


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    if not Path(DATABASE).exists():
        fill_database()
    make_server("127.0.0.1", PORT, StaticFilesHandler(get_wsgi_application()), handler_class=Quiet).serve_forever()
