"""How much of what can't be undone is asked about, and how much of what can: corpora, half of each held out.

The `unseen_` ones were written before the rules' words were read. At first sight 86.6 % of what can't be undone was
asked about, and 4.9 % of what can: that, not the rate after tuning, is what to expect of labels that are in no corpus.
"""

import sys
from collections.abc import Callable

import pytest

from tests.engine.safety.acts import Act, Half, is_asked_by_screen, is_asked_on_wire, read_corpus

pytestmark = pytest.mark.slow
CAUGHT, FALSE_ALARMS = 0.95, 0.01
WRITTEN = ["", "unseen_"]
HALVES: tuple[Half, Half] = ("tuning", "held out")


def is_asked(act: Act) -> bool:
    return is_asked_by_screen(act) or is_asked_on_wire(act)


def share_of(acts: list[Act], asked: Callable[[Act], bool]) -> float:
    return sum(map(asked, acts)) / len(acts)


@pytest.mark.parametrize("kind", ["irreversible", "harmless"])
@pytest.mark.parametrize(("written", "least"), [("", 400), ("unseen_", 200)])
def test_a_corpus_is_large_and_split_in_halves(kind: str, written: str, least: int) -> None:
    acts = read_corpus(f"{written}{kind}")
    assert len({(act.role, act.label, act.around, act.wire) for act in acts}) >= least
    sizes = [sum(act.half == half for act in acts) for half in HALVES]
    assert min(sizes) >= 0.4 * len(acts)
    chinese = sum(any("\u4e00" <= sign <= "\u9fff" for sign in act.label) for act in acts)
    assert chinese >= 0.15 * len(acts)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("written", WRITTEN)
def test_what_can_not_be_undone_is_asked_about(written: str, half: Half, capsys: pytest.CaptureFixture[str]) -> None:
    acts = [act for act in read_corpus(f"{written}irreversible") if act.half == half]
    caught, by_words = share_of(acts, is_asked), share_of(acts, is_asked_by_screen)
    with capsys.disabled():
        told = f"{caught:.1%} asked about, {by_words:.1%} by the screen alone"
        sys.stdout.write(f"\n{len(acts)} {written}irreversible acts ({half}): {told}\n")
    # Of the half that is held out, nobody gets to know what is missed.
    missed = [act for act in acts if not is_asked(act)] if half == "tuning" else []
    assert caught >= CAUGHT, missed


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("written", WRITTEN)
def test_what_can_be_undone_is_not(written: str, half: Half, capsys: pytest.CaptureFixture[str]) -> None:
    acts = [act for act in read_corpus(f"{written}harmless") if act.half == half]
    alarms = share_of(acts, is_asked)
    with capsys.disabled():
        sys.stdout.write(f"\n{len(acts)} {written}harmless acts ({half}): {alarms:.1%} asked about\n")
    asked = [act for act in acts if is_asked(act)] if half == "tuning" else []
    assert alarms <= FALSE_ALARMS, asked
