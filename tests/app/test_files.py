"""Files that commands read and write: what is wrong with them is told alike, before any work is done."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from stepmark.app.main import cli
from stepmark.labeling.errors import InputError

READERS = {"grade": [], "best-of-n": [], "first-error": [], "score": ["no-model"]}


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_is_not_there_is_bad_usage(command: str, tmp_path: Path) -> None:
    """Exit code 2, as for any wrong argument; a folder is no file either."""
    for path in (tmp_path / "absent.jsonl", tmp_path):
        result = CliRunner().invoke(cli, [command, *READERS[command], str(path)])

        assert result.exit_code == 2
        assert "Invalid value for 'FILE'" in result.stderr


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_of_no_line_is_refused(command: str, content: str, tmp_path: Path) -> None:
    """No result is made of nothing: one sentence, the same in every command."""
    file = tmp_path / "empty.jsonl"
    file.write_text(content)
    result = CliRunner().invoke(cli, [command, *READERS[command], str(file)])

    assert result.stdout == ""
    with pytest.raises(InputError, match=r"empty.jsonl: holds no line; give at least one JSON object"):
        raise result.exception or AssertionError(result.output)
