"""Files that commands write: whole or not there, and nothing else is replaced."""

from pathlib import Path

import pytest

from stepmark.app.text_output import write_text
from stepmark.labeling.errors import InputError


def test_a_device_is_written_to_and_stays_a_device() -> None:
    """Renaming a file over /dev/null would take it from everyone."""
    write_text(Path("/dev/null"), "gone")

    assert Path("/dev/null").is_char_device()


def test_a_full_device_is_told_in_one_sentence() -> None:
    """The message names the path and the reason."""
    with pytest.raises(InputError, match=r"/dev/full: cannot be written \(No space left on device\)"):
        write_text(Path("/dev/full"), "x" * 100_000)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it points to gets the text."""
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")

    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_failed_write_leaves_the_old_file_and_no_partial_one(tmp_path: Path) -> None:
    """The folder is the name of a file here."""
    old = tmp_path / "old.txt"
    old.write_text("old")
    with pytest.raises(InputError, match="cannot be written"):
        write_text(old / "new.txt", "new")

    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]
