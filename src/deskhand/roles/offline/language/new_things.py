"""Reads what a new note, contact or alarm is to hold: "named Ann with phone 123", "标题是…，内容是…", "for 7:30"."""

import re
from functools import cache

from deskhand.language import to_simplified
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.screen.grounding.query import parse_chinese_number
from deskhand.screen.grounding.vocabulary import is_same_word

_JOINTS = r"(?:with|and|its|the|an?|，|,|；|;|且|并|和|为|的)"
_LINKS = r"(?:number|address|is|are|of|as|是|为|写着|(?:填写|写|填|叫)(?=\s*“)|：|:|=)"
_NUMERAL = "[零一二两三四五六七八九十]{1,3}"
_CLOCK = re.compile(
    r"(?:(?P<half>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜|深夜|[今明][早晚])的?\s*)?"
    r"(?:(?P<h>\d{1,2})\s*[:：]\s*(?P<m>\d{2})"
    rf"|(?P<hz>\d{{1,2}}|{_NUMERAL})\s*点\s*(?:(?P<quarter>[一三])刻|(?P<mz>\d{{1,2}}|{_NUMERAL})\s*分?|(?P<half_hour>半))?"
    r"|(?P<he>\d{1,2})\s*(?=am|pm|a\.m|p\.m|o'clock|(?:in the|at) (?:morning|afternoon|evening|night)))"
    r"(?:\s*o'clock)?\s*(?P<ampm>am|pm|a\.m\.?|p\.m\.?|(?:in the|at) (?:morning|afternoon|evening|night)|tonight)?",
    re.IGNORECASE,
)
_MORNING = re.compile(r"凌晨|清晨|早|上午|a\.?m|in the morning", re.IGNORECASE)
_LATE = re.compile(r"下午|傍晚|晚|夜|p\.?m|afternoon|evening|night", re.IGNORECASE)
_NIGHT = re.compile(r"晚|夜|night", re.IGNORECASE)


# The parts that a thing of this kind has; any other word of that sense belongs to what is written.
_PARTS: dict[str, tuple[str, ...]] = {
    "note": ("title", "name", "content"),
    "contact": ("name", "phone", "email", "company"),
    "alarm": ("time", "label", "name", "title"),
}


def read_fields(text: str, what: str = "") -> tuple[tuple[str, str], ...]:
    """(label, value) pairs; text that no label introduces has the label "", a label that nothing follows the value "".

    What is written goes on to its end: `saying call Bob at 5` says nothing of a time, 内容是打电话 nothing of a phone.
    """
    text = text.strip(" ，,。.：:")
    if not text:
        return ()
    known: dict[str, list[str]] = load_lexicon().extra["fields"]
    marks = _find_labels(to_simplified(text), what, known)
    fields: list[tuple[str, str]] = []
    head = _clean_value(text[: marks[0].start()] if marks else text)
    if head:
        fields.append(("", head))
    for k, mark in enumerate(marks):
        end = marks[k + 1].start() if k + 1 < len(marks) else len(text)
        value = _clean_value(text[mark.end() : end].rstrip(" ." if end < len(text) else " "))
        fields.append((_mean_label(mark, known), value))
    return tuple(fields)


def _mean_label(mark: re.Match[str], known: dict[str, list[str]]) -> str:
    word = mark["latin"] or mark["han"]
    return next((label for label, words in known.items() if word.casefold() in words), word)


def _find_labels(text: str, what: str, known: dict[str, list[str]]) -> list[re.Match[str]]:
    kind = next((kind for kind in _PARTS if is_same_word(kind, what)), "")
    parts, kept, writing = _PARTS.get(kind, tuple(known)), list[re.Match[str]](), False
    for mark in _label_pattern().finditer(text):
        quoted = text.count("“", 0, mark.start()) > text.count("”", 0, mark.start())
        if quoted or _mean_label(mark, known) not in parts or (writing and mark[0][0] not in ",，;；"):
            continue
        writing = writing or _mean_label(mark, known) == "content"
        kept.append(mark)
    return kept


_HOUR_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_HOURS = {word: n for n, word in enumerate(_HOUR_WORDS, 1)}
_MINUTES = {"five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "fifty": 50}
_SPELLED = re.compile(
    rf"(?:(?P<part>half|quarter|(?:a )?quarter|{'|'.join(_MINUTES)}|\d{{1,2}})(?: minutes)? (?P<side>past|to) )?"
    rf"(?P<hour>{'|'.join(_HOURS)}|\d{{1,2}})"
    rf"(?:[ -](?P<minute>{'|'.join(sorted(_MINUTES, key=len, reverse=True))}))?(?![\w:])",
    re.IGNORECASE,
)
_DAYPARTS = {"noon": "12:00", "midday": "12:00", "midnight": "0:00", "正午": "12:00", "午夜": "0:00"}
_TIME_FILLERS = re.compile(
    r"\b(?:the|at|in|for|o'clock|sharp|morning|evening|afternoon|night|tomorrow|today|tonight|am|pm)\b"
    r"|明天|今天|早上|早晨|上午|中午|下午|傍晚|晚上|整|钟|的|[,.，。\s]",
    re.IGNORECASE,
)
_TIME_JOINT = re.compile(r"\s*(?:,|，|、|&|\band\b|和|以及)\s*(?:at\s+|for\s+)?", re.IGNORECASE)


def spell_clock(text: str) -> str:
    """The text with a time in words as digits: `half past seven` is `7:30`, `noon` is `12:00`."""
    text = to_simplified(text)
    for word, digits in _DAYPARTS.items():
        text = re.sub(rf"\b{word}\b" if word.isascii() else word, digits, text, flags=re.IGNORECASE)
    return text if _CLOCK.search(text) else _SPELLED.sub(_write_spelled, text, count=1)


def _write_spelled(found: re.Match[str]) -> str:
    hour = (
        _HOURS.get(found["hour"].lower()) or int(found["hour"]) if not found["hour"].isdigit() else int(found["hour"])
    )
    part = (found["part"] or "").lower().removeprefix("a ")
    minutes = {"half": 30, "quarter": 15}.get(part) or _MINUTES.get(part) or (int(part) if part.isdigit() else 0)
    minutes += _MINUTES.get((found["minute"] or "").lower(), 0)
    if (found["side"] or "").lower() == "to":
        hour, minutes = hour - 1 or 12, 60 - minutes
    said_so = found["part"] or found["minute"] or not found["hour"].isdigit()
    return f"{hour}:{minutes:02d}" if said_so else found[0]


def split_times(text: str) -> list[str]:
    """`7 and 8`, `7点和8点` are two times; anything else is one."""
    parts = [part for part in _TIME_JOINT.split(text) if part]
    shared = re.search(r"(?:am|pm|a\.m\.?|p\.m\.?)$", text, re.IGNORECASE)
    if len(parts) < 2 or not all(read_clock(part) and has_only_time(part) for part in parts):
        return [text]
    return [
        part if not shared or re.search(r"[ap]\.?m", part, re.IGNORECASE) else f"{part} {shared[0]}" for part in parts
    ]


def has_only_time(text: str) -> bool:
    """True if nothing is said but a time of day: no repetition, no condition."""
    spelled = spell_clock(text)
    rest = (
        _CLOCK.sub(" ", spelled, count=1) if _CLOCK.search(spelled) else re.sub(r"\b\d{1,2}\b", " ", spelled, count=1)
    )
    return not _TIME_FILLERS.sub("", rest)


def read_clock(text: str) -> tuple[int, int] | None:
    """A time of day as (hour, minute): `7`, `7:30`, `7:30 pm`, `half past seven`, `早上七点半`, `晚上8点15分`."""
    text = spell_clock(text)
    found = _CLOCK.search(text)
    if not found:
        bare = text.strip()
        bare = re.sub(r"^(?:at|for)\s+", "", bare)
        return (int(bare), 0) if re.fullmatch(r"1?\d|2[0-3]", bare, re.ASCII) else None
    hour = parse_chinese_number(found["h"] or found["hz"] or found["he"] or "")
    minute = _read_minute(found)
    if hour is None or minute is None:
        return None
    hour = _to_day_hour(hour, f"{found['half'] or ''} {found['ampm'] or ''}")
    return (hour, minute) if hour < 24 and minute < 60 else None


_TOMORROW = re.compile(r"\btomorrow\b|明天|明早|明晚|明日", re.IGNORECASE)
_TODAY = re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今天|今早|今晚|今日", re.IGNORECASE)


def read_day(text: str) -> str:
    """Return `today` or `tomorrow` as the text says it; empty if it names no day."""
    if _TOMORROW.search(text):
        return "tomorrow"
    return "today" if _TODAY.search(text) else ""


def write_clock(text: str) -> str:
    """Its time of day as a clock shows it: `早上7点的闹钟` is `07:00的闹钟`."""
    found, clock = _CLOCK.search(text), read_clock(text)
    if not found or not clock:
        return text
    return text.replace(found[0].strip(), f"{clock[0]:02d}:{clock[1]:02d}", 1)


def is_no_time(text: str) -> bool:
    """`25点`, `27:80`, `7点和8点`: written like a time of day, but it is none, or more than one."""
    times = len(_CLOCK.findall(text))
    return times > 1 or (times == 1 and read_clock(text) is None)


def _read_minute(found: re.Match[str]) -> int | None:
    if found["quarter"]:
        return 15 if found["quarter"] == "一" else 45
    return (
        30 if found["half_hour"] else parse_chinese_number((found["m"] or found["mz"] or "0").removeprefix("零") or "0")
    )


def _to_day_hour(hour: int, when: str) -> int:
    """An hour by the clock's face, told by the words beside it: 晚上8点 is 20, 晚上12点 is midnight, 中午1点 is 13."""
    if hour == 12 and (_MORNING.search(when) or _NIGHT.search(when)):
        return 0
    noonish = "中午" in when and hour < 10
    small = "夜" in when and hour < 6  # 半夜两点 comes after midnight
    return hour + 12 if hour < 12 and (noonish or _LATE.search(when)) and not small else hour


@cache
def _label_pattern() -> re.Pattern[str]:
    words = sorted((w for group in load_lexicon().extra["fields"].values() for w in group), key=len, reverse=True)
    latin = "|".join(re.escape(w) for w in words if w.isascii())
    han = "|".join(re.escape(w) for w in words if not w.isascii())
    lead = rf"(?:{_JOINTS}\s*)*"
    return re.compile(
        rf"(?:(?<![A-Za-z]){lead}(?<![A-Za-z])(?P<latin>{latin})(?![A-Za-z])|{lead}(?P<han>{han}))\s*(?:{_LINKS}\s*)*",
        re.IGNORECASE,
    )


def _clean_value(text: str) -> str:
    around = rf"^(?:{_JOINTS}\s+|[，,；;的\s])+|(?:\s+{_JOINTS}|[，,；;。\s])+$"
    text = re.sub(around, "", text.strip(), flags=re.IGNORECASE)
    quoted = re.fullmatch(r"“([^”]*)”", text)
    return quoted[1] if quoted else text
