"""What the tests keep from one check to the next is what they would make now."""

import pytest

import build_cache


@pytest.fixture
def made(monkeypatch, tmp_path):
    """kept(inputs), and how often something has been made."""
    monkeypatch.setattr(build_cache, "FOLDER", tmp_path / "kept")
    count = []

    def kept(inputs, name="thing", fails=False):
        def make(folder):
            count.append(name)
            (folder / "product").write_text(str(len(count)))
            assert not fails

        return (build_cache.kept(name, inputs, make) / "product").read_text()

    return kept, count


def test_equal_inputs_are_made_once(made, tmp_path):
    kept, count = made
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.c").write_text("one")
    assert kept([tmp_path / "sources", "-O2"]) == kept([tmp_path / "sources", "-O2"]) == "1"
    assert len(count) == 1


def test_whatever_differs_is_made_anew(made, tmp_path):
    """The content of a file, its name, a further file, a word, where a word ends, the name of the
    product."""
    kept, count = made
    sources = tmp_path / "sources"
    (sources / "deep").mkdir(parents=True)
    file = sources / "deep" / "a.h"
    changes = [
        lambda: file.write_text("one"),
        lambda: file.write_text("two"),
        lambda: file.rename(sources / "a.h"),
        lambda: file.write_text(""),
    ]
    products = []
    for change in changes:
        change()
        products.append(kept([sources, "-O2", "-g"]))
    products += [
        kept([sources, "-O1", "-g"]),
        kept([sources, "-O2-g"]),
        kept([sources / "a.h", "-O2", "-g"]),
        kept([sources, "-O2", "-g"], name="other"),
    ]
    assert products == [str(i + 1) for i in range(8)] and len(count) == 8


def test_what_fails_is_not_kept(made):
    kept, count = made
    for fails in (True, True, False, True):
        if fails and len(count) < 3:
            with pytest.raises(AssertionError):
                kept(["x"], fails=True)
        else:
            assert kept(["x"], fails=fails) == "3", "once it is made, it is found"
    assert len(count) == 3


def test_what_fails_leaves_nothing_behind(made):
    kept, _ = made
    kept(["x"])
    before = sorted(build_cache.FOLDER.rglob("*"))
    for _ in range(2):
        with pytest.raises(AssertionError):
            kept(["y"], fails=True)
    assert sorted(build_cache.FOLDER.rglob("*")) == before


def test_what_was_not_used_for_long_goes(made):
    kept, _ = made
    for i in range(3 * build_cache.MOST):
        kept([i])
    assert len(list((build_cache.FOLDER / "thing").iterdir())) == build_cache.MOST


def test_a_compiler_that_fails_is_reported_and_run_again(made, tmp_path):
    (tmp_path / "sources").mkdir()
    source = tmp_path / "sources" / "fmu.c"
    command = ("gcc", "-c", "-o", "fmu.o", "{sources}/fmu.c")
    for text in ("int x = ;", "int x = y;"):
        source.write_text(text)
        for _ in range(2):
            with pytest.raises(AssertionError, match="error"):
                build_cache.compiled("object", {"sources": tmp_path / "sources"}, command)
    source.write_text("int x;")
    assert (
        build_cache.compiled("object", {"sources": tmp_path / "sources"}, command) / "fmu.o"
    ).stat().st_size > 0
