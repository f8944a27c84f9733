"""Bus and mailboxes: publishing never waits, listeners get what they asked for, in order."""

import asyncio

from deskhand.bus import Bus, Mailbox


async def test_a_listener_gets_only_its_types_in_order() -> None:
    bus = Bus()
    with bus.subscribe_to(int) as numbers:
        for message in (1, "two", 3):
            bus.publish_message(message)
        numbers.close()
        assert [number async for number in numbers] == [1, 3]


async def test_a_closed_listener_gets_nothing_more() -> None:
    bus = Bus()
    words = bus.subscribe_to(str)
    words.close()
    bus.publish_message("late")
    assert [word async for word in words] == []


async def test_a_slow_listener_does_not_hold_up_a_fast_one() -> None:
    bus = Bus()
    with bus.subscribe_to(int), bus.subscribe_to(int) as fast:
        for number in range(1000):
            bus.publish_message(number)
        fast.close()
        assert len([number async for number in fast]) == 1000


async def test_a_mailbox_wakes_its_receiver() -> None:
    mailbox: Mailbox[str] = Mailbox()
    receiving = asyncio.create_task(mailbox.receive_message())
    mailbox.post_message("hello")
    assert await receiving == "hello"
    assert len(mailbox) == 0
