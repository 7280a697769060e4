"""Commands that tests run in processes of their own."""

import subprocess


def completed(*words, **options):
    """The process when it has ended, with what it has printed."""
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)


def printed(*words, **options):
    """What a command prints, which has to succeed."""
    done = completed(*words, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
