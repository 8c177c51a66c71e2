"""Ctrl-C before, while and after modules are imported: exit code 130, at most one sentence, no traceback."""

import subprocess
import sys

import pytest

SENTENCE = "Interrupted; what was committed stays, and the next run goes on from there.\n"
_INTERRUPT = "import os, signal, sys\ndef interrupt(): os.kill(os.getpid(), signal.SIGINT)\n"
_AT_IMPORT = """
class Hook:
    def find_spec(self, name, *rest):
        if name == 'click':
            interrupt()
sys.meta_path.insert(0, Hook())
import stepmark.app.main
"""
_IN_COMMAND = """
from stepmark.app import interrupts
with interrupts.ended_with_a_sentence():
    {}
"""


def interrupted(code: str) -> subprocess.CompletedProcess[str]:
    """What becomes of a Python process that sends itself an interrupt."""
    return subprocess.run(
        [sys.executable, "-c", _INTERRUPT + code], capture_output=True, text=True, check=False
    )


def test_an_interrupt_while_the_command_line_is_imported_is_silent() -> None:
    """Nothing was begun, so nothing is told."""
    done = interrupted(_AT_IMPORT)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    "block",
    [
        "interrupt()",
        "\n    try: interrupt()\n    except KeyboardInterrupt: raise ImportError('half a module')",
        "\n    try: interrupt()\n    except BaseException: sys.exit(1)",
    ],
)
def test_an_interrupt_is_told_as_one_whatever_a_library_makes_of_it(block: str) -> None:
    """An import that fails for it is no failed import, a query no failed query."""
    done = interrupted(_IN_COMMAND.format(block))

    assert (done.returncode, done.stdout, done.stderr) == (130, "", SENTENCE)


def test_an_interrupt_that_dagster_caught_is_told_as_one() -> None:
    """It has handlers of its own while a run is on, and raises what it made of the signal."""
    code = """
from stepmark.app import main
def command(*arguments): raise KeyboardInterrupt
main.cli.invoke = command
sys.argv[1:] = ['sql', 'SELECT 1']
main.main()
"""
    done = interrupted(code)

    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", SENTENCE.strip())


def test_an_error_without_an_interrupt_stays_what_it_is() -> None:
    """And a handler that somebody else set is left alone."""
    done = interrupted(_IN_COMMAND.format("raise ValueError('mine')"))
    ignored = interrupted(
        f"signal.signal(signal.SIGINT, signal.SIG_IGN)\n{_IN_COMMAND.format('interrupt()')}"
    )

    assert (done.returncode, "ValueError: mine" in done.stderr) == (1, True)
    assert (ignored.returncode, ignored.stderr) == (0, "")
