"""WeChat's moments: posts of friends that can be liked."""

from __future__ import annotations

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.messenger.app import Messenger, Moment
from deskhand.simphone.ui.nodes import FILL, WRAP, Node
from deskhand.simphone.ui.widgets import Avatar, BadgeIcon, Column, Divider, Label, Row, Screen, Scroller


class MomentsPage(Page[Messenger]):
    activity = ".plugin.sns.ui.SnsTimeLineUI"

    def build(self) -> Node:
        posts = [self._build_post(moment) for moment in self.app.moments]
        return Screen(self.colours, self.build_bar(self.t("朋友圈", "Moments")), Scroller(self.use_scroll(), *posts))

    def _build_post(self, moment: Moment) -> Node:
        theme = self.colours

        def toggle_like() -> None:
            moment.liked = not moment.liked
            moment.likes += 1 if moment.liked else -1

        heart = self.build_icon_button(
            "heart",
            self.t("赞", "Like") + " " + moment.author,
            "like_btn",
            toggle_like,
            size=48,
            ink=theme.red if moment.liked else theme.faint,
            selected=moment.liked,
        )
        text = Column(
            Label(moment.author, 44, theme.accent, bold=True),
            Label(self.t(*moment.text), 44, theme.ink, w=FILL),
            BadgeIcon("image", 360, (120, 150, 190), radius=8, desc=self.t("图片", "Picture")),
            Row(Label(str(moment.likes), 38, theme.soft, w=WRAP, rid=self.rid_of("like_count")), heart, justify="end"),
            weight=1.0,
            gap=16,
        )
        body = Row(Avatar(moment.author, 110), text, gap=32, align="start", pad=(44, 40, 44, 16), fill=theme.card)
        return Column(body, Divider(theme))
