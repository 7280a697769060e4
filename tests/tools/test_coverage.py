"""Intervals of 95 % cover the truth of records that were not made with an FMU: a quick part; the
whole is tests/support/interval_coverage.py."""

import pytest

from fmus import FMUS
from interval_coverage import Case, covered, run


@pytest.fixture(autouse=True)
def these_fmus(monkeypatch):
    monkeypatch.setenv("BRISTLE_FMUS", str(FMUS[0].path.parent))


def test_intervals_cover_what_is_true():
    """Of some 45 truths more than six outside would be chance once in 100 times."""
    chosen = [
        Case(law, motion, noise, step, begin, seed)
        for law in ("LuGre", "Dahl", "SmoothCoulomb")
        for motion, noise, step, begin, seed in (
            ("sines", 0.003, 0.0, 0, 11),
            ("strokes", 0.02, 0.0, 137, 12),
            ("sines", 0.02, 0.0, 137, 13),
            ("strokes", 0.005, 1e-6, 0, 14),
        )
    ]
    share, count, bias = covered(run(chosen))
    assert count >= 30 and share >= 0.85 and abs(bias) < 0.25
