"""Splits a goal in plain English or Chinese into typed instructions, by the patterns of lexicon.toml.

A goal is cut where the cheapest reading has its clauses: a comma, `and`, `然后` parts two clauses only if both sides
are sentences; what fits no sentence becomes NotUnderstood, named as it was written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from deskhand.language import is_chinese
from deskhand.roles.offline.language.builders.phone_builder import keep_from
from deskhand.roles.offline.language.instruction_builder import build_instructions, is_kept, open_app
from deskhand.roles.offline.language.instructions import (
    Call,
    Create,
    Find,
    Instruction,
    NotUnderstood,
    Open,
    PressKey,
    Refrain,
    Reveal,
    Select,
    Tap,
    Transfer,
    Write,
)
from deskhand.roles.offline.language.lexicon import Lexicon, PhraseList, count_phrase, load_lexicon
from deskhand.roles.offline.language.lists import continue_list, drop_numbers, split_list
from deskhand.roles.offline.language.patterns import (
    SentenceMatch,
    copy_span,
    is_app,
    is_app_name,
    match_rules,
    match_with_app,
    read_text,
    write_span,
)
from deskhand.roles.offline.language.plausibility import refuse_implausible
from deskhand.roles.offline.language.repeats import match_repeated
from deskhand.roles.offline.language.tokens import Token, cut_tokens
from deskhand.screen.grounding.vocabulary import is_same_word

# What a reading costs: a separator inside of a clause, a cut without a separator, a clause that is no sentence.
SWALLOWED = 2
UNMARKED = 3
UNKNOWN = 50
# Longer clauses than this many possible cuts are not tried: reading stays quick on any input.
REACH = 14
# Slots of what is to be said: 吧 and 谢谢 at the end belong to it.
_TOLD = ("text", "both", "password")
# Slots of what is typed or said as it was written.
_EXACT = frozenset({"text", "both", "value"})
# Slots whose words are typed somewhere, if only to look for them: they keep the script that they are written in.
_OWN_SCRIPT = frozenset({"fields", "more", "to"})
_HOUR_SIGNS = frozenset("零一二两三四五六七八九十几")
# What makes a polite word a question.
_ASKING = frozenset({"could", "can", "would", "能", "可"})
# A name that goes on like a sentence of its own ("微信给张三发…") costs more than a cut.
OVERLONG = 4


@dataclass(frozen=True, slots=True)
class ClauseCut:
    """A place where a clause may begin; `marked` when a separator or connector stands before it."""

    at: int
    marked: bool


@dataclass(frozen=True, slots=True)
class ClauseReading:
    cost: int
    clauses: tuple[tuple[int, int, SentenceMatch | None], ...]


@dataclass(frozen=True, slots=True)
class Deeper(Instruction):
    """The next name of a path, as long as it is not known what the path leads through."""

    target: str


@lru_cache(maxsize=256)
def parse_goal(goal: str, *, open_pronouns: bool = False) -> tuple[Instruction, ...]:
    """All instructions of a goal, in order. Never raises.

    `open_pronouns`: the goal goes on from another, which may say what its pronouns stand for.
    """
    steps = read_clauses(goal, open_pronouns=open_pronouns)
    done = tuple(step for step in steps if not isinstance(step, Refrain))
    # nothing but what is not to be done: there is nothing to do, and nothing to show for it
    return done or tuple(NotUnderstood(step.source) for step in steps)


@lru_cache(maxsize=256)
def read_clauses(goal: str, *, open_pronouns: bool = False) -> tuple[Instruction, ...]:
    """All instructions of a goal, and also what it says is not to be done."""
    words = load_lexicon()
    said = cut_tokens(goal)
    tokens = drop_numbers(said[count_phrase(words.greetings, said, 0, len(said)) :])
    cuts = _find_cuts(tokens, words)
    # best[k]: the cheapest reading of everything from the k-th cut on
    reader = ClauseReader(tokens, words, cuts)
    best: dict[int, ClauseReading] = {len(cuts): ClauseReading(0, ())}
    for k in range(len(cuts) - 1, -1, -1):
        ends = range(k + 1, min(len(cuts), k + REACH) + 1)
        best[k] = min((reader.extend_reading(k, end, best[end]) for end in ends), key=lambda r: r.cost)
    instructions: list[Instruction] = []
    last_end = 0
    for start, end, found in best[0].clauses if cuts else ():
        made = _build_clause(tokens, start, end, found, instructions)
        if found is None and start > last_end:
            made, instructions = _continue_last(made, instructions)
        last_end = end
        instructions += [each for step in made for each in split_list(step)]
    sure = [refuse_implausible(step, open_pronouns=open_pronouns) for step in _carry_found(instructions)]
    return tuple(_fill_in_forms(_join_unknown(_heed_refrains(_follow_paths(sure)))))


def _heed_refrains(instructions: Sequence[Instruction]) -> list[Instruction]:
    """`don't turn on Wi-Fi`: heeded by doing nothing of the kind; not understood if the goal says to do it as well."""
    others = [step for step in instructions if not isinstance(step, Refrain)]
    return [
        step if not isinstance(step, Refrain) or keep_from(step, others, parse_goal(step.deed) if step.deed else ())
        else NotUnderstood(step.source)
        for step in instructions
    ]  # fmt: skip


def _continue_last(
    unknown: list[Instruction], instructions: list[Instruction]
) -> tuple[list[Instruction], list[Instruction]]:
    """`…, B and C` behind `click A`: more of the same, in the place of the last instruction and what follows it."""
    more = continue_list(unknown[0].source, instructions[-1]) if instructions else []
    return (more, instructions[:-1]) if more else (unknown, instructions)


def _find_cuts(tokens: Sequence[Token], words: Lexicon) -> list[ClauseCut]:
    cuts = [ClauseCut(0, True)] if tokens else []
    firsts = _list_first_phrases()
    for at in range(1, len(tokens)):
        separated = tokens[at - 1].plain in words.separators and tokens[at - 1].kind == "mark"
        refrains = any(count_phrase(words.classes[name], tokens, at, len(tokens)) > 1 for name in ("dont", "leave"))
        if separated or refrains or count_phrase(words.connectors, tokens, at, len(tokens)):
            cuts.append(ClauseCut(at, True))
        elif tokens[at].kind == "han" and count_phrase(firsts, tokens, at, len(tokens)) and not _is_hour(tokens, at):
            # a blank between Chinese words is put there on purpose
            cuts.append(ClauseCut(at, tokens[at - 1].end < tokens[at].start))
        elif _is_last_press(tokens, at, words):
            cuts.append(ClauseCut(at, False))
    return cuts


def _is_last_press(tokens: Sequence[Token], at: int, words: Lexicon) -> bool:
    """`scroll down hit submit`: a press of the button that ends every form, behind a sentence without a joint."""
    verb = count_phrase(words.classes["click"], tokens, at, len(tokens))
    rest = [token.plain for token in tokens[at + verb :] if token.kind != "mark"]
    return verb > 0 and rest in (["submit"], ["提交"])


def _is_hour(tokens: Sequence[Token], at: int) -> bool:
    """三点 and 15点 are times of day: nothing is clicked."""
    return tokens[at].plain == "点" and (tokens[at - 1].kind == "number" or tokens[at - 1].plain in _HOUR_SIGNS)


@lru_cache(maxsize=1)
def _list_first_phrases() -> PhraseList:
    """Chinese phrases that begin a sentence; where there are no blanks, a clause may begin before any of them."""
    heads = [pattern[0] for rule in load_lexicon().rules for pattern in rule.patterns]
    found = {phrase for head in heads for phrase in head.phrases if not phrase[0].isascii()}
    return PhraseList.from_phrases(found)


class ClauseReader:
    """Reads clauses of one goal; every span is matched once."""

    def __init__(self, tokens: Sequence[Token], words: Lexicon, cuts: Sequence[ClauseCut]) -> None:
        self.tokens, self.words, self.cuts = tokens, words, cuts
        self._known: dict[tuple[int, int], SentenceMatch | None] = {}

    def extend_reading(self, k: int, end: int, rest: ClauseReading) -> ClauseReading:
        """Return the reading of the clause from the k-th cut to the `end`-th, before the rest."""
        cut, inside = self.cuts[k], range(k + 1, end)
        after = self.cuts[end].at if end < len(self.cuts) else len(self.tokens)
        start, stop, written = self._find_bounds(cut.at, after)
        cost = rest.cost + (0 if cut.marked else UNMARKED)
        if start >= stop and end == len(self.cuts) and count_phrase(self.words.connectors, self.tokens, cut.at, after):
            # `click Save and Next`: a last word that joins nothing is meant as something else
            return ClauseReading(cost + UNKNOWN, ((cut.at, after, None), *rest.clauses))
        if start >= stop:
            return ClauseReading(cost + (0 if cut.marked else UNKNOWN), rest.clauses)
        cost += SWALLOWED * sum(self.cuts[c].marked and start < self.cuts[c].at < stop for c in inside)
        found, stop = self._read_sentence(start, stop, written)
        if found is None and self._is_after_arrow(start) and not any(self.cuts[c].marked for c in inside):
            found = SentenceMatch("deeper", {"target": (start, stop)})
        if found is None or self._runs_into_the_next(found, inside):
            # the smallest part that is not understood is named, so each cut inside of it costs as well
            return ClauseReading(cost + UNKNOWN + 2 * len(inside), ((start, stop, None), *rest.clauses))
        if self._is_overlong(found, stop, inside):
            cost += OVERLONG
        if end < len(self.cuts) and not self.cuts[end].marked:
            cost += self._price_oddity(found)
        return ClauseReading(cost, ((start, stop, found), *rest.clauses))

    def _find_bounds(self, at: int, stop: int) -> tuple[int, int, int]:
        """Return where the clause proper starts and stops, and where it stops with its courtesy."""
        start, written = _trim_clause(self.tokens, self.words, at, stop)
        if any(token.plain in _ASKING for token in self.tokens[at:start]):
            written = _drop_question(self.tokens, start, written)
        return start, _drop_courtesy(self.tokens, self.words, start, written), written

    def _read_sentence(self, start: int, stop: int, written: int) -> tuple[SentenceMatch | None, int]:
        """Return the sentence, and where it stops: with its courtesy where that belongs to it."""
        found = self._match_once(start, stop)
        if stop == written:
            return found, stop
        if found is not None and any(found.slots.get(told, (0, 0))[1] == stop for told in _TOLD):
            # what is to be said or written is taken to its end: `谢谢` belongs to the message
            return self._match_once(start, written) or found, written
        if found is None:
            # 蓝牙开着吗 is a question by its 吗 alone
            asked = _drop_marks(self.tokens, start, written)
            if match_rules(self.words.conditions, self.tokens, start, asked - 1):
                return self._match_once(start, asked), asked
        return found, stop

    def _match_once(self, start: int, stop: int) -> SentenceMatch | None:
        if (start, stop) not in self._known:
            span = (self.words.rules, self.tokens, start, stop)
            self._known[start, stop] = match_with_app(*span) or match_rules(*span) or match_repeated(*span)
        return self._known[start, stop]

    def _is_after_arrow(self, start: int) -> bool:
        """`Open Settings > Display`: the name of the next page."""
        return start > 0 and self.tokens[start - 1].kind == "mark" and self.tokens[start - 1].plain in self.words.arrows

    def _is_overlong(self, found: SentenceMatch, stop: int, inside: range) -> bool:
        """A short name (of an app, of what is sought) whose end is a sentence of its own."""
        if found.kind not in {"open", "find", "go", "chat", "right", "double", "long"}:
            return False
        places = [self.cuts[c].at for c in inside if not self.cuts[c].marked]
        return any(
            start < at < end and self._match_once(at, stop) and not self._is_one_name(found, start, at, end)
            for at in places
            for start, end in found.slots.values()
        )

    def _runs_into_the_next(self, found: SentenceMatch, inside: range) -> bool:
        """`open contacts and call up Henry`: an app that is known by its name is not called all that."""
        if found.kind not in {"open", "go"}:
            return False
        start = next(iter(found.slots.values()))[0]
        at = next((self.cuts[c].at for c in inside if self.cuts[c].marked and self.cuts[c].at > start), start)
        end = _trim_clause(self.tokens, self.words, start, at)[1]
        return start < end and is_app(self.tokens, start, end)

    def _price_oddity(self, found: SentenceMatch) -> int:
        """用计算器算…, 打开优选商城搜索…: cut behind a name rather than in the middle of it."""
        start, end = next(iter(found.slots.values()), (0, 0))
        if found.kind != "open" or is_app(self.tokens, start, end):
            return 0
        return 2 if end - start == 1 and self.tokens[start].kind == "han" else 1

    def _is_one_name(self, found: SentenceMatch, start: int, at: int, end: int) -> bool:
        """优选商城 is no 优 from which 商城 is chosen: one character is a verb only behind a name that is known."""
        if found.kind not in {"open", "go"}:
            return False
        if is_app_name(self.tokens, start, end):
            return True
        second = self._match_once(at, end)
        only_verb = second is not None and min((s for s, _ in second.slots.values()), default=0) == at + 1
        return only_verb and self.tokens[at - 1].kind == "han" and not is_app_name(self.tokens, start, at)


def _trim_clause(tokens: Sequence[Token], words: Lexicon, start: int, end: int) -> tuple[int, int]:
    """Without connectors, politeness and separators at both ends."""
    moved = True
    while moved and start < end:
        moved = False
        if tokens[start].kind == "mark" and (tokens[start].plain in words.separators or tokens[start].plain in ":："):
            start, moved = start + 1, True
            continue
        for phrases in (words.connectors, words.polite):
            taken = count_phrase(phrases, tokens, start, end)
            if taken:
                start, moved = start + taken, True
                break
    closing = words.separators - {"!"}
    while start < end and tokens[end - 1].kind == "mark" and tokens[end - 1].plain in closing:
        end -= 1
    return start, end


def _drop_courtesy(tokens: Sequence[Token], words: Lexicon, start: int, end: int) -> int:
    """Return the end of the clause without `please`, `吧`, `谢谢` and a last mark."""
    moved = True
    while moved and start < end:
        moved = False
        for phrase in words.tails:
            if count_phrase((phrase,), tokens, max(start, end - len(phrase)), end) == len(phrase) < end - start:
                end, moved = end - len(phrase), True
                break
    return end


def _drop_question(tokens: Sequence[Token], start: int, end: int) -> int:
    """`Could you send … saying I'm late?`: it is the user who asks, not the message."""
    while end > start + 1 and tokens[end - 1].kind != "quote" and tokens[end - 1].plain in {"?", "吗"}:
        end -= 1
    return end


def _drop_marks(tokens: Sequence[Token], start: int, end: int) -> int:
    while end > start and tokens[end - 1].kind == "mark":
        end -= 1
    return end


def _build_clause(
    tokens: Sequence[Token], start: int, end: int, found: SentenceMatch | None, before: Sequence[Instruction]
) -> list[Instruction]:
    source = copy_span(tokens, start, end)
    if found is None:
        return [NotUnderstood(source)]
    if found.kind == "deeper":
        return [Deeper(f"找到{source}" if is_chinese(source) else f"find {source}", write_span(tokens, start, end))]
    slots = {name: _read_slot(name, tokens, *span) for name, span in found.slots.items()}
    if found.own is None:
        return build_instructions(found.kind, slots, source, before)
    own = build_instructions(found.kind, slots, copy_span(tokens, *found.own), before)
    if found.app is None:
        return own * found.times
    return [open_app(write_span(tokens, *found.app)), *own]


def _read_slot(name: str, tokens: Sequence[Token], start: int, end: int) -> str:
    if name in _EXACT:
        return read_text(tokens, start, end)
    return write_span(tokens, start, end, simplified=name not in _OWN_SCRIPT)


def _follow_paths(instructions: Sequence[Instruction]) -> list[Instruction]:
    """`Select File > Export > PDF`: each menu is opened for the next one, and the last entry is taken.

    Behind an app (`Open Settings > Display`) each is a page to go into.
    """
    steps = list[Instruction]()
    for step in instructions:
        last = steps[-1] if steps else None
        if isinstance(step, Deeper) and isinstance(last, Tap | Select):
            name = last.target if isinstance(last, Tap) else last.option
            zh = is_chinese(f"{name}{step.target}")
            told = f"打开菜单{name}显示{step.target}" if zh else f"open the menu {name} to show {step.target}"
            steps[-1] = Reveal(told, name, step.target)
            steps.append(Tap(f"点击{step.target}" if zh else f"click {step.target}", step.target))
        elif isinstance(step, Deeper) and not isinstance(last, Open | Find):
            steps.append(NotUnderstood(f"> {step.target}"))  # `type echo hello > out.txt`: an arrow of the text
        else:
            steps.append(Find(step.source, step.target) if isinstance(step, Deeper) else step)
    return steps


def _carry_found(instructions: Sequence[Instruction]) -> list[Instruction]:
    """`Find the last word in the note and type it into Title`: what stands there is typed, not the word “it”."""
    steps = list[Instruction]()
    for step in instructions:
        last = steps[-1] if steps else None
        if isinstance(step, Write) and isinstance(last, Find) and _writes_pronoun(step):
            joint = "，" if is_chinese(step.source) else ", "
            steps[-1] = Transfer(f"{last.source}{joint}{step.source}", last.target, step.target)
        else:
            steps.append(step)
    return steps


def _writes_pronoun(step: Write) -> bool:
    quoted = any(token.kind == "quote" and token.text == step.text for token in cut_tokens(step.source))
    return bool(step.target) and step.text.casefold() in load_lexicon().pronouns and not quoted


def _join_unknown(instructions: Sequence[Instruction]) -> list[Instruction]:
    joined: list[Instruction] = []
    for instruction in instructions:
        last = joined[-1] if joined else None
        if isinstance(instruction, NotUnderstood) and isinstance(last, NotUnderstood):
            joined[-1] = replace(last, source=f"{last.source} {instruction.source}")
        else:
            joined.append(instruction)
    return joined


def _is_phone_of(made: Create, step: Call) -> bool:
    """`create a contact Nina, phone 555-0188`: her number, and nobody is called."""
    noun = step.source.casefold().startswith(("phone ", "电话"))
    return noun and is_same_word(made.what, "contact") and "phone" not in dict(made.fields)


def _fill_in_forms(instructions: Sequence[Instruction]) -> list[Instruction]:
    """Add text written right after a Create to it, to be saved with it; make a note of text written in Notes.

    Unless something is clicked or pressed afterwards: then the goal goes through the form by hand.
    """
    filled: list[Instruction] = []
    for at, step in enumerate(instructions):
        after = next((other for other in instructions[at:] if not isinstance(other, Write)), None)
        last = filled[-1] if filled else None
        if isinstance(last, Create) and isinstance(step, Call) and _is_phone_of(last, step):
            filled[-1] = Create(f"{last.source}, {step.source}", last.what, (*last.fields, ("phone", step.to)))
        elif not isinstance(step, Write) or isinstance(after, Tap | PressKey):
            filled.append(step)
        elif isinstance(last, Create):
            source = f"{last.source}{'，' if is_chinese(last.source) else ', '}{step.source}"
            filled[-1] = Create(source, last.what, (*last.fields, (step.target, step.text)))
        elif isinstance(last, Open) and is_kept(step, last.name):
            what, said = ("笔记", "新建笔记，") if is_chinese(step.source) else ("note", "create a note, ")
            filled.append(Create(said + step.source, what, (("", step.text),)))
        else:
            filled.append(step)
    return filled
