"""Runs commands in processes of their own."""

import subprocess


def completed(*words, **options):
    """Runs a command to its end; returns the process with its output."""
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)


def printed(*words, **options):
    """Runs a command that has to succeed; returns its output."""
    done = completed(*words, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
