"""The report: every model in every benchmark system, measured by the rig, on one page that needs no
network."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
