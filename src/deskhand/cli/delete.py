"""`deskhand delete`: a run with its pictures, or a conversation with its runs."""

from deskhand.build import Deskhand
from deskhand.cli.output import print_json, print_line
from deskhand.cli.run_goal import find_task_id
from deskhand.cli.serve_api import print_trouble
from deskhand.core.errors import UsageError
from deskhand.sessions.conversation_store import ConversationStore, check_session_id
from deskhand.sessions.conversations import Conversations
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.tasks import Tasks


async def delete_data(run_id: str, session: str, as_json: bool) -> int:
    if bool(run_id) == bool(session):
        raise UsageError("Say what to delete: a RUN, or a conversation with --session; not both.")
    watch = SettingsWatch(report=print_trouble)
    async with Deskhand(watch.read_current()) as hand:
        tasks = Tasks(hand, watch)
        if run_id:
            task_id = await find_task_id(hand.journal, run_id)
            gone = await tasks.delete_task(task_id)
            told = {"deleted": "run", "task_id": task_id, "events": gone}
        else:
            gone = await _delete_conversation(hand, watch, tasks, session)
            told = {"deleted": "conversation", "session_id": session, "entries": gone}
    if as_json:
        print_json(told)
    else:
        print_line(f"Deleted the run {told['task_id']}." if run_id else f"Deleted the conversation {session}.")
    return 0


async def _delete_conversation(hand: Deskhand, watch: SettingsWatch, tasks: Tasks, session: str) -> int:
    store = ConversationStore(hand.settings.data_dir)
    try:
        if not await store.read(check_session_id(session)):
            raise UsageError(f"There is no conversation {session!r}.")
        return await Conversations(hand, store, watch, tasks).forget_conversation(session)
    finally:
        await store.close()
