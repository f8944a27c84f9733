"""Camera and gallery: a shutter that adds pictures, a grid to look through, favourites, deletion that asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import FILL, Colour, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    BadgeIcon,
    Column,
    EmptyNote,
    Label,
    RoundButton,
    Row,
    Screen,
    Scroller,
    Space,
    TopBar,
)

TINTS: tuple[Colour, ...] = ((90, 140, 200), (200, 140, 90), (110, 170, 120), (170, 110, 170), (200, 170, 80))


@dataclass
class Photo:
    number: int
    favourite: bool = False

    @property
    def name(self) -> str:
        return f"IMG_{self.number:04d}"

    @property
    def tint(self) -> Colour:
        return TINTS[self.number % len(TINTS)]


class GridPage(Page["Gallery"]):
    activity = ".GalleryActivity"

    def build(self) -> Node:
        theme, photos = self.colours, list(reversed(self.app.photos))
        per_row = 7 if self.is_wide else 3
        rows: list[Node] = []
        for i in range(0, len(photos), per_row):
            cells = [self._build_cell(photo) for photo in photos[i : i + per_row]]
            blanks = [Space(weight=1.0) for _ in range(per_row - len(cells))]
            rows.append(Row(*cells, *blanks, gap=12))
        rows = rows or [EmptyNote(self.t("没有照片", "No photos"), theme)]
        bar = TopBar(self.t("相册", "Gallery"), theme, rid=self.rid_of("title"))
        return Screen(
            theme, bar, Scroller(self.use_scroll(), *rows, gap=12, pad=(12, 0, 12, 40), rid=self.rid_of("grid"))
        )

    def _build_cell(self, photo: Photo) -> Node:
        cell = BadgeIcon(
            "image",
            340,
            photo.tint,
            radius=8,
            desc=photo.name,
            rid=self.rid_of("photo"),
            on_tap=lambda: self.app.push_page(PhotoPage(self.app, photo)),
        )
        cell.weight = 1.0
        return cell


class PhotoPage(Page["Gallery"]):
    activity = ".PhotoActivity"

    def __init__(self, app: Gallery, photo: Photo) -> None:
        super().__init__(app)
        self.photo = photo

    def build(self) -> Node:
        t, theme, photo = self.t, self.colours, self.photo
        heart = self.build_icon_button(
            "heart",
            t("收藏", "Favourite"),
            "favourite_btn",
            self._toggle_favourite,
            size=60,
            ink=theme.red if photo.favourite else theme.faint,
            selected=photo.favourite,
        )
        bin_ = self.build_icon_button("trash", t("删除", "Delete"), "delete_btn", self._ask_to_delete, size=60)
        picture = BadgeIcon("image", 900, photo.tint, radius=12, desc=photo.name)
        return Screen(
            theme,
            self.build_bar(photo.name, heart, bin_),
            Column(picture, weight=1.0, align="center", justify="center"),
        )

    def _toggle_favourite(self) -> None:
        self.photo.favourite = not self.photo.favourite

    def _ask_to_delete(self) -> None:
        def delete_photo() -> None:
            self.app.photos.remove(self.photo)
            self.leave_page()

        self.confirm_action(
            self.t("删除照片", "Delete photo"),
            self.t("确定删除这张照片？", "Delete this photo?"),
            self.t("删除", "Delete"),
            delete_photo,
        )


class Gallery(App):
    package, label, label_en, activity = "com.android.gallery3d", "相册", "Gallery", ".GalleryActivity"
    icon, tint = "image", (120, 90, 200)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.photos = [Photo(n) for n in range(1, 15)]

    def build_first_page(self) -> Page[App]:
        return GridPage(self)

    def add_photo(self) -> Photo:
        photo = Photo(max((p.number for p in self.photos), default=0) + 1)
        self.photos.append(photo)
        return photo

    def read_state(self) -> dict[str, Any]:
        """photos: [{name, favourite}], oldest first."""
        return {"photos": [{"name": p.name, "favourite": p.favourite} for p in self.photos]}


class ViewfinderPage(Page["Camera"]):
    activity = ".Camera"

    def build(self) -> Node:
        shutter = RoundButton(
            "camera",
            90,
            (60, 64, 70),
            WHITE,
            200,
            on_tap=self._take_photo,
            desc=self.t("快门", "Shutter"),
            rid=self.rid_of("shutter_button"),
        )
        turn = self.build_icon_button(
            "refresh", self.t("切换摄像头", "Switch camera"), "switch_btn", self._switch_lens, size=64, ink=WHITE
        )
        album = self.build_icon_button(
            "image",
            self.t("相册", "Gallery"),
            "gallery_btn",
            lambda: self.host.apps.launch_app(self.host.skin.package_of(Gallery.package)),
            size=64,
            ink=WHITE,
        )
        side = self.t("前置镜头", "Front lens") if self.app.front else self.t("后置镜头", "Rear lens")
        view = Column(
            Label(side, 44, WHITE, rid=self.rid_of("lens")),
            weight=1.0,
            h=FILL,
            align="center",
            pad=(0, 40, 0, 0),
            fill=(96, 110, 120) if self.app.front else (70, 92, 84),
        )
        keys = Row(album, shutter, turn, justify="center", gap=120, pad=(0, 40, 0, 60), fill=(18, 18, 20))
        return Screen(self.colours, view, keys, fill=(18, 18, 20))

    def _take_photo(self) -> None:
        gallery = self.host.apps.find_app(self.host.skin.package_of(Gallery.package))
        if isinstance(gallery, Gallery):
            self.host.show_toast(self.t("已保存 ", "Saved ") + gallery.add_photo().name)

    def _switch_lens(self) -> None:
        self.app.front = not self.app.front


class Camera(App):
    package, label, label_en, activity = "com.android.camera", "相机", "Camera", ".Camera"
    icon, tint = "camera", (70, 76, 88)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.front = False

    def build_first_page(self) -> Page[App]:
        return ViewfinderPage(self)

    def read_state(self) -> dict[str, Any]:
        """lens: "back" or "front"; the pictures themselves are the gallery's."""
        return {"lens": "front" if self.front else "back"}
