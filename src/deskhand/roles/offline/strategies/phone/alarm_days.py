"""Refuses an alarm that would ring on another day than the goal says: without a date it rings at its next time."""

from deskhand.language import to_simplified
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.new_things import read_clock, read_day
from deskhand.roles.offline.outcome import Failed
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.vocabulary import is_same_word

_DAYS_ZH = {"today": "今天", "tomorrow": "明天"}


def refuse_other_day(step: say.Create, scene: Scene) -> Failed | None:
    """`7:30 tomorrow`, said at 6:00, would ring in an hour and a half; `6:00 today`, said at 7:00, only tomorrow."""
    timed = [to_simplified(text) for label, text in step.fields if label in ("time", "") and read_clock(text)]
    said = timed[0] if timed and is_same_word(step.what, "alarm") else ""
    day, clock = read_day(said), read_clock(said) if said else None
    if not day or clock is None:
        return None
    now = read_clock(scene.briefing.observation.clock)
    if now is None:
        return scene.fail_with(
            "看不到手机现在的时间，分不清闹钟会在今天还是明天响；不说哪一天就可以设。配上模型（--model）也可以。",
            "The time on the phone is not known, so the alarm may ring on another day: leave the day out, "
            "or set a model (--model).",
        )
    rings = "tomorrow" if clock <= now else "today"
    if rings == day:
        return None
    told, shown = f"{clock[0]:02d}:{clock[1]:02d}", f"{now[0]:02d}:{now[1]:02d}"
    return scene.fail_with(
        f"手机上现在是 {shown}：{told} 的闹钟没有日期，会在{_DAYS_ZH[rings]}响，而不是{_DAYS_ZH[day]}，所以没有设。"
        "不说哪一天就可以设；配上模型（--model）可以找带日期的办法。",
        f"It is {shown} on the phone: an alarm for {told} has no date and would ring {rings}, not {day}, so it was not "
        "set. Leave the day out to set it all the same, or set a model (--model), which may find a way with a date.",
    )
