"""What phone goals once did wrongly, by class: names, times, texts, joins and both scripts of Chinese."""

import pytest

from deskhand.language import to_simplified
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Call, Create, Favour, NotUnderstood, Open, Send, Tap, Toggle
from deskhand.roles.offline.language.new_things import read_clock, read_day

PEOPLE = ("张三", "李四", "王芳", "Bob", "Grace")
TEXTS = ("钥匙在垫子下面", "我晚点到", "周五去不了，抱歉")
HOURS = ("三点", "五点半", "十点一刻", "15点", "晚上八点")
PHOTOS = ("IMG_0001", "IMG_0014", "海边")
SCRIPTS = (
    ("打開藍牙", Open("打開藍牙", "蓝牙")),
    ("打開飛行模式", Open("打開飛行模式", "飞行模式")),
    ("給張偉發消息「會議開始了」", Send("給張偉發消息「會議開始了」", "會議開始了", "張偉")),
    ("發消息給李四：會議開始了", Send("發消息給李四：會議開始了", "會議開始了", "李四")),
    ("告訴張偉會議改到三點", Send("告訴張偉會議改到三點", "會議改到三點", "張偉")),
    ("撥打韓梅的電話", Call("撥打韓梅的電話", "韓梅")),
)


@pytest.mark.parametrize(("goal", "means"), SCRIPTS)
def test_a_goal_in_traditional_chinese_is_read_and_what_is_sent_keeps_its_script(goal: str, means: object) -> None:
    assert parse_goal(goal) == (means,)
    assert [type(step) for step in parse_goal(to_simplified(goal))] == [type(means)]


@pytest.mark.parametrize("link", ["，就说", "说", "："])
@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("text", TEXTS)
def test_how_a_message_is_introduced_is_never_sent(person: str, text: str, link: str) -> None:
    sent = [step for step in parse_goal(f"给{person}发条消息{link}{text}") if isinstance(step, Send)]
    assert [(step.to, step.text) for step in sent] == [(person, text)]


@pytest.mark.parametrize("frame", ["提醒我{}开会", "{}提醒我", "{}的闹钟帮我定一个", "打开微信，{}叫我", "{}定个闹钟"])
@pytest.mark.parametrize("hour", HOURS)
def test_an_hour_is_never_clicked(hour: str, frame: str) -> None:
    assert not any(isinstance(step, Tap) for step in parse_goal(frame.format(hour)))


@pytest.mark.parametrize("verb", ["标记为收藏", "标记成收藏", "设为收藏", "加入收藏", "收藏"])
@pytest.mark.parametrize("name", PHOTOS)
def test_what_is_done_with_a_photo_is_no_part_of_its_name(name: str, verb: str) -> None:
    goal = f"把{name}{verb}"
    assert parse_goal(goal) == (Favour(goal, name),)


@pytest.mark.parametrize("ending", ["都", "全", "全部"])
@pytest.mark.parametrize("thing", ["闹钟", "笔记", "无线的", "照片"])
def test_all_of_something_is_refused(thing: str, ending: str) -> None:
    for verb in ("关了", "删掉"):
        assert any(isinstance(step, NotUnderstood) for step in parse_goal(f"把{thing}{ending}{verb}"))


@pytest.mark.parametrize("name", ["Nina", "Ann Lee", "Dr. Wu"])
@pytest.mark.parametrize("number", ["555-0188", "13600002222"])
def test_the_phone_of_a_new_contact_is_not_called(name: str, number: str) -> None:
    steps = parse_goal(f"Create a contact {name}, phone {number}")
    assert not any(isinstance(step, Call) for step in steps)
    made = [step for step in steps if isinstance(step, Create)]
    assert made
    assert dict(made[0].fields).get("phone", number) == number


@pytest.mark.parametrize("label", ["赶飞机", "写周报"])
@pytest.mark.parametrize("verb", ["写", "叫"])
def test_a_label_begins_where_its_quotes_do(label: str, verb: str) -> None:
    (quoted,) = parse_goal(f"设一个6点10分的闹钟，标签{verb}“{label}”")
    assert isinstance(quoted, Create)
    assert ("label", label) in quoted.fields
    (bare,) = parse_goal(f"设一个6点10分的闹钟，标签{verb}{label}")
    assert isinstance(bare, NotUnderstood) or (isinstance(bare, Create) and ("label", label) in bare.fields)


@pytest.mark.parametrize("title", ["待办", "买菜"])
def test_a_quoted_name_before_the_content_is_the_title(title: str) -> None:
    (note,) = parse_goal(f"新建笔记“{title}”，内容“修车；打电话”")
    assert isinstance(note, Create)
    assert note.fields == (("title", title), ("content", "修车；打电话"))


@pytest.mark.parametrize("goal", ["set an alarm tomorrow at 7:30", "set an alarm for 7:30 tomorrow", "明早七点半叫我"])
def test_the_day_of_an_alarm_belongs_to_its_time(goal: str) -> None:
    (alarm,) = parse_goal(goal)
    assert isinstance(alarm, Create)
    ((label, said),) = alarm.fields
    assert (label, read_clock(said), read_day(said)) == ("time", (7, 30), "tomorrow")


@pytest.mark.parametrize("joint", ["和", "、", "以及"])
def test_several_switches_behind_their_names_are_each_turned(joint: str) -> None:
    steps = parse_goal(f"WiFi{joint}蓝牙都打开")
    assert [(step.target, step.on) for step in steps if isinstance(step, Toggle)] == [("WiFi", True), ("蓝牙", True)]
    assert all(parse_goal(step.source) for step in steps)
    assert not any(isinstance(again, NotUnderstood) for step in steps for again in parse_goal(step.source))
