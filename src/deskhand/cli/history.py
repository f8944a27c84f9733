"""`deskhand runs` and `deskhand show`: what the journal remembers."""

from datetime import datetime

from deskhand.cli.console import as_markup, make_console, make_table, print_markup
from deskhand.cli.end_words import tell_status
from deskhand.cli.event_lines import EventLines
from deskhand.cli.output import print_json
from deskhand.cli.progress import colour_status, describe_end, format_money
from deskhand.cli.run_goal import find_picture, find_task_id, outcome_of
from deskhand.settings.load import load
from deskhand.task.events import TaskSummary
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import mark_interrupted

# As much of an id as tells runs apart; `show` takes any beginning.
ID_SHOWN = 8


async def list_runs(limit: int, as_json: bool) -> int:
    journal = SqliteJournal(load().data_dir, to_read=True)
    try:
        summaries = await journal.runs(limit)
    finally:
        await journal.close()
    if as_json:
        print_json({"runs": [s.model_dump(mode="json") for s in summaries]})
        return 0
    console = make_console()
    paid = any(s.usage.cost for s in summaries)
    headers = ("run", "started", "status", "steps", *(["cost"] if paid else []), "device", "goal")
    table = make_table(console, *headers, cut_last=True)
    table.columns[-2].max_width = console.width // 6
    for s in summaries:
        started = datetime.fromtimestamp(s.started).strftime("%m-%d %H:%M")
        cells = [s.task_id[:ID_SHOWN], started, colour_status(s.status, tell_status(s.status, s.cause)), str(s.steps)]
        cost = [format_money(s.usage.cost)] if paid else []
        table.add_row(*cells, *cost, as_markup(s.device), as_markup(_describe_goal(s)))
    console.print(table if summaries else 'No runs yet: deskhand run "Open Settings, turn on Wi-Fi"')
    return 0


def _describe_goal(summary: TaskSummary) -> str:
    goal = " ".join(summary.goal.split())
    if not summary.unreadable:
        return goal
    entries = "1 entry" if summary.unreadable == 1 else f"{summary.unreadable} entries"
    return f"{goal} ({entries} can't be read)".lstrip()


async def show_run(run_id: str, as_json: bool, with_frames: bool) -> int:
    journal = SqliteJournal(load().data_dir, to_read=True)
    try:
        task_id = await find_task_id(journal, run_id)
        alive = await journal.is_running(task_id)  # asked first: what it wrote last is read below
        records = await journal.read(task_id)
    finally:
        await journal.close()
    state = fold_all(records)
    if not state.over and not alive:
        state = mark_interrupted(state)
    if as_json:
        print_json(outcome_of(state, records, journal))
        return 0
    console = make_console()
    events = EventLines()
    for record in records:
        for line in events.describe_record(record):
            print_markup(console, line)
        if with_frames and (picture := find_picture(record.event, journal)):
            print_markup(console, f"[dim]     {as_markup(picture)}[/dim]")
    print_markup(console, describe_end(state, events.told))
    return 0
