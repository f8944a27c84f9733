"""Tells which proofs an instruction needs, and what to say when it has none of them."""

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.proof import Proof, ProofKind
from deskhand.roles.offline.scene import Scene

# The first is the one that is told when none is there.
_NEEDS: dict[type[Instruction], tuple[ProofKind, ...]] = {
    say.Open: ("front", "state", "changed"),
    say.Visit: ("front",),
    say.Close: ("gone", "state", "changed"),
    say.Tap: ("changed", "front", "reacted", "logged"),
    say.Find: ("seen", "changed"),
    say.Select: ("value", "changed"),
    say.SelectNone: ("state",),
    say.Reveal: ("seen",),
    say.Delete: ("gone",),
    say.Toggle: ("state",),
    say.Write: ("text", "read", "seen", "value"),
    say.Clear: ("text",),
    say.Search: ("changed",),
    say.SetValue: ("value", "text", "read", "state"),
    say.Scrolling: ("seen", "changed"),
    say.Swiping: ("changed", "front"),
    say.Pausing: ("carried",),
    say.GoBack: ("changed", "front"),
    say.GoHome: ("front", "changed"),
    say.PressKey: ("changed", "front", "reacted", "carried"),
    say.Verify: ("seen",),
    say.WaitUntil: ("seen",),
    say.Ask: ("answered",),
    say.Read: ("answered",),
    say.Send: ("sent",),
    say.Compute: ("seen",),
    say.Create: ("seen", "changed"),
    say.AddToCart: ("seen",),
    say.Drag: ("placed",),
    say.Shift: ("placed", "changed"),
    say.Place: ("placed", "changed"),
    say.Resize: ("state",),
    say.Transfer: ("text", "read", "seen", "value"),
    say.SelectText: ("changed", "reacted"),
    say.Hover: ("changed", "carried"),
    say.Expand: ("state", "changed"),
    say.ArrangeWindow: ("state", "changed"),
    say.Edit: ("changed", "carried"),
    say.GoToCell: ("value", "changed", "carried"),
    say.SaveAs: ("saved",),
    say.LogIn: ("entered",),
    say.Upload: ("seen",),
    say.AddTo: ("seen",),
    say.Call: ("calling",),
    say.TakePhoto: ("seen",),
    say.Favour: ("state",),
    say.JoinNetwork: ("state",),
    say.StartTimer: ("state",),
    say.MoveAlarm: ("value",),
    say.ListAlarms: ("answered",),
    say.ReadNote: ("answered",),
    say.ReadWeather: ("answered",),
}
# Chinese, English: what is missing where a proof of the kind is.
_MISSING: dict[ProofKind, tuple[str, str]] = {
    "sent": ("没有看到它作为自己的消息出现在聊天里", "it was not seen in the conversation as yours"),
    "gone": ("没有看到它已经不在了", "it was not seen to be gone"),
    "state": ("没有读到它的状态", "its state was not read back"),
    "text": ("没有从输入框里读到这段文字", "the text was not read back from its field"),
    "value": ("没有读到选中的值", "the chosen value was not read back"),
    "front": ("没有看到它在最前面", "it was not seen in front"),
    "seen": ("没有在屏幕上看到它", "it was not seen on the screen"),
    "changed": ("没有看到任何变化", "no change was seen"),
    "placed": ("没有看到它在新的位置", "it was not seen at its new place"),
    "saved": ("没有看到以这个名字保存", "it was not seen saved under that name"),
    "entered": ("没有看到登录后的页面", "the inside was not seen"),
    "calling": ("没有看到与此人通话的画面", "no call with that person was seen"),
    "answered": ("没有读出答案", "no answer was read"),
    "carried": ("设备没有执行它", "the device did not carry it out"),
}


def is_proof_of(step: Instruction, proof: Proof) -> bool:
    return proof.kind in _NEEDS.get(type(step), ())


def describe_missing(step: Instruction, scene: Scene) -> str:
    """Return what would prove the instruction and was not seen, in the language of the goal."""
    kinds = _NEEDS.get(type(step))
    missing = _MISSING[kinds[0]] if kinds else ("没有任何证据", "there is no proof of it")
    return scene.say(f"“{step.source}”没有得到证明：{missing[0]}", f"“{step.source}” is not proven: {missing[1]}")
