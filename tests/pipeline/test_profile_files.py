"""Profile files that cannot be read: another encoding, no TOML, no text, no file."""

import os
from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError
from stepmark.pipeline.profile_file import load_profile


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x = " + "[" * 3000 + "]" * 3000, "is nested too deeply; write it flat."),
        ("x = " + "{a=" * 3000 + "1" + "}" * 3000, "is nested too deeply; write it flat."),
        ("x = " + "9" * 5000, "holds a number too long to read; give a smaller one."),
    ],
)
def test_toml_beyond_what_python_reads_is_refused_with_its_line(
    profile_path: Path, line: str, message: str
) -> None:
    """What a parser answers with a traceback."""
    profile_path.write_text(f"{line}\n")

    with pytest.raises(InputError, match=r"profile.toml, line 1: 'x = .*" + message) as refused:
        load_profile(str(profile_path))

    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_another_encoding_is_named(profile_path: Path, encoding: str) -> None:
    """Editors on Windows save so."""
    profile_path.write_bytes(profile_path.read_text().encode(encoding))

    with pytest.raises(InputError, match=f"the file is {encoding.upper()}; give a TOML file, saved as UTF-8"):
        load_profile(str(profile_path))


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    """A profile is read more than once, and a pipe can be read only once."""
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path / "pipe", "is a pipe"),
        (tmp_path, "is a folder"),
        ("/dev/zero", "is a device"),
    ):
        with pytest.raises(InputError, match=f"no profile can be read here .it {what}.; give a TOML file"):
            load_profile(str(path))


def test_a_missing_profile_is_refused() -> None:
    """The message names the file and the built-in one."""
    with pytest.raises(InputError, match=r"nowhere.toml: no profile can be read here .* or minimath"):
        load_profile("nowhere.toml")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes of a picture, say: one sentence, no traceback."""
    path = tmp_path / "picture.toml"
    path.write_bytes(b"\x89PNG\xff")

    with pytest.raises(InputError, match=r"picture.toml: byte 1 is not UTF-8"):
        load_profile(str(path))
