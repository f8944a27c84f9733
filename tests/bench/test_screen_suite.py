"""The screen suite compares our settle with the usual ways of waiting, and draws the result."""

from pathlib import Path

import pytest
from PIL import Image

from deskhand.bench.screen_labels import render_pages
from deskhand.bench.screen_settle import compare_methods, draw_chart

pytestmark = pytest.mark.slow


async def test_settling_beats_sleeping_and_equal_frames_on_both_counts(tmp_path: Path) -> None:
    methods = await compare_methods(each=1, seed=3)
    ours, others = methods[:3], {method.name: method for method in methods[3:]}
    assert all(method.early <= 0.05 for method in ours)
    assert all(method.median <= 0.25 for method in ours)
    assert others["two equal frames"].early > 0.1
    assert others["sleep 3 s"].median > 2
    file = draw_chart(methods, tmp_path / "charts" / "settle.png")
    with Image.open(file) as picture:
        assert picture.size == (1000, 640)


async def test_a_browser_s_pages_come_with_all_their_labels() -> None:
    pages = await render_pages()
    assert [len(page.labels) for page in pages] == [20, 20, 20]
    assert {"Export CSV", "加入购物车"} <= {label.text for label in pages[0].labels}
