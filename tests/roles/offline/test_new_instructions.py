"""Everyday instructions beyond clicking and typing are read whole, in both languages."""

import pytest

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.worker import _STRATEGIES  # pyright: ignore[reportPrivateUsage] # every type has a strategy


@pytest.mark.parametrize(
    ("goal", "step"),
    [
        ("drag Trash to Desktop", say.Drag("", "Trash", "Desktop")),
        ("drag and drop “Card 1” onto “Done”", say.Drag("", "Card 1", "Done")),
        ("把“周报”拖到“已完成”", say.Drag("", "周报", "已完成")),
        ("drag the slider to 50", say.SetValue("", "the slider", "50")),
        ("hover over Products", say.Hover("", "Products")),
        ("把鼠标移到产品上", say.Hover("", "产品")),
        ("expand the Advanced section", say.Expand("", "the Advanced section")),
        ("收起“高级”", say.Expand("", "高级", expanded=False)),
        ("upload /tmp/report.pdf to Attachment", say.Upload("", "/tmp/report.pdf", "Attachment")),
        ("把“季度 报告.pdf”上传到附件", say.Upload("", "季度 报告.pdf", "附件")),
        ("attach report.pdf", say.Upload("", "report.pdf")),
        ("log in as bob@example.com with password hunter2!", say.LogIn("", "bob@example.com", "hunter2!")),
        ("sign in with username admin and password “a b”", say.LogIn("", "admin", "a b")),
        ("log in as admin with password {{secret:pw}}", say.LogIn("", "admin", "{{secret:pw}}")),
        ("用admin登录，密码是secret", say.LogIn("", "admin", "secret")),
        ("用户名admin，密码secret登录", say.LogIn("", "admin", "secret")),
        ("save the file as “my notes.txt”", say.SaveAs("", "my notes.txt")),
        ("另存为notes.txt", say.SaveAs("", "notes.txt")),
        ("select all text", say.Edit("", "select_all")),
        ("撤销", say.Edit("", "undo")),
        ("save the document", say.Edit("", "save")),
        ("maximise the window", say.ArrangeWindow("", "maximize")),
        ("minimize gedit", say.ArrangeWindow("", "minimize", "gedit")),
        ("把窗口最大化", say.ArrangeWindow("", "maximize")),
        ("go to cell b3", say.GoToCell("", "B3")),
        ("选中单元格AA10", say.GoToCell("", "AA10")),
        ("add butter to my shopping list note", say.AddTo("", "butter", "shopping list")),
        ("在购物清单里加上黄油", say.AddTo("", "黄油", "购物清单")),
        ("call Alice", say.Call("", "Alice")),
        ("给张三打电话", say.Call("", "张三")),
        ("put the phone on silent", say.Toggle("", "silent mode", on=True)),
        ("把手机调成静音", say.Toggle("", "静音", on=True)),
        ("press Ctrl+Delete", say.PressKey("", ("ctrl", "delete"))),
        ("press the Delete key", say.PressKey("", ("delete",))),
        ("press Delete", say.Tap("", "Delete")),
        ("press the down arrow", say.PressKey("", ("down",))),
    ],
)
def test_an_everyday_instruction_is_read_whole(goal: str, step: Instruction) -> None:
    assert [type(step)(**{**_fields(read), "source": ""}) for read in parse_goal(goal)] == [step]


def _fields(step: Instruction) -> dict[str, object]:
    return {name: getattr(step, name) for name in type(step).__dataclass_fields__}


def test_every_instruction_has_a_strategy() -> None:
    kinds = {kind for kind in vars(say).values() if isinstance(kind, type) and issubclass(kind, Instruction)}
    assert kinds - {Instruction, say.NotUnderstood, say.Refrain} == set(_STRATEGIES)
