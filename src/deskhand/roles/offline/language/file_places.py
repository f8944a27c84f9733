"""Reads where a file is to be kept: a name, and a folder of the home that everybody has."""

import re

# How people call the folders of a home → the folder.
_FOLDERS = {
    "home": "", "documents": "Documents", "downloads": "Downloads", "desktop": "Desktop", "pictures": "Pictures",
    "music": "Music", "videos": "Videos", "主": "", "家": "", "个人": "", "文档": "Documents", "下载": "Downloads",
    "桌面": "Desktop", "图片": "Pictures", "音乐": "Music", "视频": "Videos",
}  # fmt: skip
_EN = re.compile(
    r"(?P<name>\S.*?)\s+(?:in|to|into|on|inside)\s+(?:my|the)\s+(?P<folder>\w+)(?:\s+(?:folder|directory))?",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"(?:到|在)?(?:我的)?(?P<folder>主|家|个人|文档|下载|桌面|图片|音乐|视频)(?:文件夹|目录)?(?:里|下|中|上)?(?:的|，|,)?\s*(?P<name>[^\s的].*)"
)


def read_file_place(said: str) -> str:
    """Return the file's path from the home (~), or the bare name if no folder was said; empty for an unknown one."""
    found = _EN.fullmatch(said) or _ZH.fullmatch(said)
    if found is None:
        return said
    folder = _FOLDERS.get(found["folder"].casefold())
    if folder is None:
        return ""
    return f"~/{folder}/{found['name']}" if folder else f"~/{found['name']}"
