"""resources/bristle.json, the facts for tools: true of the FMU, sufficient without its page, and
checked when read.
"""

import json
import re

import pytest

import bristle
from fmus import files_of
from bristle.format.archive import write_zip
from bristle.format.facts import FACTS
from bristle.forms import form_of
from bristle.identify.fit.candidates import candidate
from bristle.suggesting import Known, suggest

pytestmark = pytest.mark.shipped  # tools read it

KNOWN = Known(mass=1.0, deflection=1e-5, stribeck_velocity=0.02)


def without_page(parts):
    return {name: data for name, data in parts.items() if not name.startswith("documentation/")}


def answer(work):
    """Returns the answer of a tool, a result or a refusal."""
    try:
        return work()
    except bristle.BristleError as error:
        return str(error)


def broken(rule, limit):
    """Returns a value that breaks a rule to another parameter."""
    step = max(1.0, abs(limit))
    return {"at_least": limit - step, "above": limit, "at_most": limit + step, "below": limit}[rule]


def test_the_facts_are_true_of_the_fmu(fmu):
    """Roles are variables, options are those in the XML's descriptions, rules are enforced by the
    FMU."""
    about, d = bristle.describe(fmu.path), fmu.description
    facts = about.facts
    assert facts.law == fmu.name and not facts.twin
    assert facts.kind and facts.summary and facts.choose and facts.not_modelled and facts.equations
    assert all(d.family(name) for name in facts.roles.values())
    assert bool(form_of(about)) == d.has("frictionForce", "relativeVelocity", "normalForce")
    for name, items in facts.options.items():
        stated = re.findall(r"(?:\(|; )\d+ = (\w+): ", d[name].text)
        assert list(items) == stated == list(about[name].items) and len(items) == about[name].max
    for option, item in facts.passive_with.items():
        assert not facts.passive and item in facts.options[option]
    assert facts.identify.keys() <= {one.name.partition("[")[0] for one in about.parameters}
    for name, rules in facts.rules.items():
        for rule, other in rules.items():
            scalar = name if name in d else f"{name}[1]"
            with pytest.raises(bristle.BristleError) as refused:
                bristle.evaluate(fmu.path, {scalar: broken(rule, about[other].start)}, [])
            assert scalar in str(refused.value) and other in str(refused.value)


def test_no_tool_needs_the_page(fmu, tmp_path):
    """Without its documentation tools give the same answers about an FMU, and stamp the same but
    for the page. Libraries for other platforms are removed, as they take time to pack."""
    whole, bare = tmp_path / "whole" / fmu.path.name, tmp_path / "bare" / fmu.path.name
    others = tuple(f"binaries/{platform}/" for platform in ("win64", "darwin64"))
    kept = {name: data for name, data in files_of(fmu.path).items() if not name.startswith(others)}
    for path, parts in ((whole, kept), (bare, without_page(kept))):
        path.parent.mkdir()
        write_zip(path, parts)

    def said(path):
        def fitted():
            of = candidate(path)
            return of.parameters, of.form, of.place

        def suggested():
            made = suggest(path, KNOWN)
            return made.values, made.reasons, made.assumed, made.warnings, made.limits

        about = bristle.describe(path)
        own = bristle.stamp(path, {}, "Own", path.parent / "Own.fmu")
        assert bristle.describe(own).facts == about.facts, "those of its law"
        return answer(fitted), answer(suggested), without_page(files_of(own)), about.variables

    assert said(whole) == said(bare)


@pytest.mark.parametrize(
    "wrong, why",
    [
        (b"{", "cannot be read"),
        (b"\xff", "cannot be read"),
        (b"[" * 100000, "cannot be read"),
        (b"[]", "is not what bristle writes"),
        (b'{"rules": {"a": ["at_most", "b"]}}', "rules has another type"),
        (b'{"options": {"law": {"Printed": 1}}}', "options has another type"),
        (b'{"passive": "no"}', "passive has another type"),
    ],
)
def test_invalid_facts_are_refused_in_one_sentence(wrong, why, all_fmus, tmp_path):
    path = tmp_path / "Wrong.fmu"
    write_zip(path, files_of(all_fmus[0].path) | {FACTS: wrong})
    with pytest.raises(bristle.BristleError, match=f"Wrong.fmu: {FACTS}:? {why}") as refused:
        bristle.describe(path)
    assert "\n" not in str(refused.value)


def test_facts_of_a_newer_bristle_are_read_and_missing_ones_are_unknown(all_fmus, tmp_path):
    parts = files_of(all_fmus[0].path)
    path = tmp_path / "Newer.fmu"
    newer = json.loads(parts[FACTS]) | {"colour": 1}
    write_zip(path, parts | {FACTS: json.dumps(newer).encode()})
    assert bristle.describe(path).facts == bristle.describe(all_fmus[0].path).facts
    other = tmp_path / "Other.fmu"
    write_zip(other, {name: data for name, data in parts.items() if name != FACTS})
    assert not bristle.describe(other).facts.law
    with pytest.raises(bristle.BristleError, match=f"has no {FACTS}"):
        candidate(str(other))
