"""What a person is told instead of a package: in their language, and for parts of Android that are no app."""

import pytest

from deskhand.app_names import name_app


@pytest.mark.parametrize(
    ("package", "zh", "en"),
    [
        ("com.tencent.mm", "微信", "WeChat"),
        ("com.android.settings", "设置", "Settings"),
        ("com.android.launcher3", "桌面", "home screen"),
        ("com.miui.home", "桌面", "home screen"),
        ("com.sec.android.app.launcher", "桌面", "home screen"),
        ("com.google.android.apps.nexuslauncher", "桌面", "home screen"),
        ("com.google.android.permissioncontroller", "权限请求", "permission request"),
        ("com.android.systemui", "系统界面", "Android itself"),
        ("com.example.myshop", "myshop (com.example.myshop)", "myshop (com.example.myshop)"),
        ("com.example.shop.android", "shop (com.example.shop.android)", "shop (com.example.shop.android)"),
    ],
)
def test_a_package_is_told_by_a_word_that_a_person_knows(package: str, zh: str, en: str) -> None:
    assert (name_app(package, "zh"), name_app(package, "en")) == (zh, en)


@pytest.mark.parametrize(
    "name", ["shop.example.com", "www.example.org", "127.0.0.1:8000", "gedit", "LibreOffice Calc", ""]
)
def test_a_site_and_a_program_are_told_as_they_are(name: str) -> None:
    assert name_app(name, "en") == name_app(name, "zh") == name
