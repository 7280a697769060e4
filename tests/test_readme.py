"""The README tells what is there now."""

import re
import sys

from conftest import FMUS, REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))
from bristle.table import renewed  # noqa: E402

README = REPOSITORY / "README.md"


def test_the_table_of_models_is_that_of_the_descriptions():
    text = README.read_text(encoding="utf-8")
    assert text == renewed(README, REPOSITORY / "modelDescription"), "run: PYTHONPATH=tools .venv/bin/python -m bristle table README.md"
    assert all(f"`{fmu.name}`" in text for fmu in FMUS)


def test_every_link_leads_somewhere():
    for page in [README, REPOSITORY / "ARCHITECTURE.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (REPOSITORY / target).exists(), f"{page.name}: {target}"
