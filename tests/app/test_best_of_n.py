"""``stepmark best-of-n``, run as a person runs it; strings stand in for graded answers where they can."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stepmark.app import best_of_n
from stepmark.app.best_of_n import best_of_n_command
from stepmark.app.io.jsonl import read_jsonl
from stepmark.app.sample_lines import group_samples, read_samples
from stepmark.labeling.errors import InputError

Row = Mapping[str, object]


def _row(problem_id: str, answer: str | None, correct: bool, **scores: float) -> Row:
    return {"problem_id": problem_id, "answer": answer, "correct": correct, "scores": scores}


def _write(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _same_strings(answers: Sequence[str | None]) -> list[int | None]:
    distinct = list(dict.fromkeys(answers))
    return [None if answer is None else distinct.index(answer) for answer in answers]


def _equal_strings(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return ["equal" if truth == answer else "different" for truth, answer in pairs]


@pytest.fixture
def string_grader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the comparison of strings in place of the grader's processes."""
    monkeypatch.setattr(
        best_of_n, "_group", lambda samples: group_samples(samples, _equal_strings, _same_strings)
    )


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(best_of_n_command, [str(argument) for argument in arguments])


_TWO_PROBLEMS: list[Row] = [
    _row("one", "1", True, prm=0.9),
    _row("one", "2", False, prm=0.5),
    _row("two", "3", False, prm=0.8),
    _row("two", "4", True, prm=0.2),
]


@pytest.mark.usefixtures("string_grader")
def test_the_json_has_the_published_shape_and_values(tmp_path: Path) -> None:
    """Two problems, N = 1 and 2: the PRM picks right in one of them, pass@2 is certain."""
    out = tmp_path / "out.json"

    result = _run(_write(tmp_path / "in.jsonl", _TWO_PROBLEMS), "--n", "1,2", "--json", out)

    assert result.exit_code == 0, result.output
    written = json.loads(out.read_text(encoding="utf-8"))
    assert list(written) == ["num_problems", "curves"]
    assert written["num_problems"] == 2
    assert list(written["curves"]) == ["prm", "majority", "prm_weighted", "pass"]
    values = {name: [curve[n]["value"] for n in ("1", "2")] for name, curve in written["curves"].items()}
    assert values == {
        "prm": [0.5, 0.5],
        "majority": [0.5, 0.5],
        "prm_weighted": [0.5, 0.5],
        "pass": [0.5, 1.0],
    }
    for curve in written["curves"].values():
        for point in curve.values():
            assert list(point) == ["value", "ci95_low", "ci95_high"]
            assert 0 <= point["ci95_low"] <= point["value"] <= point["ci95_high"] <= 1


@pytest.mark.usefixtures("string_grader")
def test_the_table_shows_every_selector_with_intervals(tmp_path: Path) -> None:
    """Rows are N, columns selectors, cells percent."""
    result = _run(_write(tmp_path / "in.jsonl", _TWO_PROBLEMS))

    lines = result.stdout.splitlines()
    assert lines[0].startswith("2 problems, 2 samples each")
    assert lines[1].split() == ["N", "prm", "majority", "prm_weighted", "pass"]
    assert lines[2].split()[:2] == ["1", "50.0"]
    assert [line.split()[0] for line in lines[2:]] == ["1", "2"]


@pytest.mark.usefixtures("string_grader")
def test_lines_of_a_problem_need_not_be_neighbours(tmp_path: Path) -> None:
    """A shuffled file gives the same curves."""
    outs = []
    for name, order in (("a", (0, 1, 2, 3)), ("b", (0, 2, 1, 3))):
        rows = [_TWO_PROBLEMS[index] for index in order]
        outs.append(tmp_path / f"{name}.json")
        _run(_write(tmp_path / f"{name}.jsonl", rows), "--json", outs[-1])

    assert outs[0].read_text() == outs[1].read_text()


@pytest.mark.usefixtures("string_grader")
def test_a_score_that_cannot_weigh_votes_keeps_its_curve_and_the_reason_is_said(tmp_path: Path) -> None:
    """Log likelihoods rank samples; the weighted vote is left out by name."""
    rows = [_row("p", "1", True, logprob=-1.5), _row("p", "2", False, logprob=-2.5)]
    out = tmp_path / "out.json"

    result = _run(_write(tmp_path / "in.jsonl", rows), "--json", out)

    assert "No weighted vote: Problem p, sample 0: the score logprob is -1.5" in result.stderr
    curves = json.loads(out.read_text())["curves"]
    assert list(curves) == ["logprob", "majority", "pass"]
    assert curves["logprob"]["2"]["value"] == 1.0


@pytest.mark.usefixtures("string_grader")
def test_a_file_of_one_problem_claims_no_certainty(tmp_path: Path) -> None:
    """The best of four is surely right on this problem; on the next one it may not be."""
    rows = [_row("p", str(i), i == 0, prm=0.9 - i / 10) for i in range(4)]
    out = tmp_path / "out.json"

    _run(_write(tmp_path / "in.jsonl", rows), "--json", out)

    point = json.loads(out.read_text())["curves"]["prm"]["4"]
    assert point["value"] == 1.0
    assert point["ci95_low"] < 0.25


@pytest.mark.usefixtures("string_grader")
def test_samples_without_correct_are_graded_against_gold(tmp_path: Path) -> None:
    """One graded right, one wrong, one without an answer."""
    rows: list[Row] = [
        {"problem_id": "p", "answer": "7", "gold": "7", "scores": {"prm": 0.3}},
        {"problem_id": "p", "answer": "8", "gold": "7", "scores": {"prm": 0.2}},
        {"problem_id": "p", "answer": None, "gold": "7", "scores": {"prm": 0.9}},
    ]
    out = tmp_path / "out.json"

    _run(_write(tmp_path / "in.jsonl", rows), "--n", "1,3", "--json", out)

    curves = json.loads(out.read_text())["curves"]
    assert curves["pass"]["1"]["value"] == pytest.approx(1 / 3)
    assert curves["prm"]["3"]["value"] == 1.0


def test_an_answer_the_grader_could_not_judge_is_refused_with_its_line(tmp_path: Path) -> None:
    """A timeout is not a wrong answer."""
    rows = [{"problem_id": "p", "answer": "9^9^9^9", "gold": "7", "scores": {}}]
    samples = read_samples(read_jsonl(_write(tmp_path / "in.jsonl", rows)))

    with pytest.raises(
        InputError, match=r'in.jsonl, line 1: the answer "9\^9\^9\^9" could not be graded in time'
    ):
        group_samples(samples, lambda pairs: ["timeout" for _ in pairs], _same_strings)


def test_every_distinct_pair_is_graded_once(tmp_path: Path) -> None:
    """64 samples of one answer cost one comparison."""
    rows = [{"problem_id": "p", "answer": "7", "gold": "7", "scores": {}} for _ in range(64)]
    samples = read_samples(read_jsonl(_write(tmp_path / "in.jsonl", rows)))
    asked: list[tuple[str, str]] = []

    def grade(pairs: Sequence[tuple[str, str]]) -> list[str]:
        asked.extend(pairs)
        return _equal_strings(pairs)

    problems = group_samples(samples, grade, _same_strings)

    assert asked == [("7", "7")]
    assert problems[0].is_correct.all()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"problem_id": "p", "answer": "1", "correct": true}', '"scores" is missing'),
        ('{"problem_id": "p", "answer": "1", "correct": true, "scores": {}}', "has the score"),
        ('{"problem_id": "p", "answer": "1", "correct": true, "scores": {"orm": 1}}', "has the score"),
        ('{"problem_id": "p", "answer": "1", "correct": true, "scores": {"prm": NaN}}', 'score "prm" is NaN'),
        ('{"problem_id": "p", "answer": "1", "correct": true, "scores": {"prm": 1e999}}', "is Infinity"),
        ('{"problem_id": "p", "answer": "1", "correct": true, "scores": {"prm": "1"}}', 'is "1"'),
        ('{"problem_id": "p", "answer": "1", "correct": true, "scores": {"prm": true}}', "is true"),
        ('{"problem_id": "p", "answer": "1", "correct": true, "scores": {"prm": null}}', "is null"),
        (
            '{"problem_id": "p", "answer": "1", "correct": true, "scores": {"prm": 1, "prm": 2}}',
            "occurs twice",
        ),
        ('{"problem_id": "p", "answer": "1", "correct": 1, "scores": {"prm": 1}}', '"correct" is 1'),
        ('{"problem_id": "p", "answer": "1", "scores": {"prm": 1}}', '"correct" and "gold" are both missing'),
        ('{"problem_id": "p", "correct": true, "scores": {"prm": 1}}', '"answer" is missing'),
        ('{"problem_id": "p", "answer": null, "correct": true, "scores": {"prm": 1}}', 'no "answer"'),
        ('{"problem_id": "p", "answer": ["1"], "correct": true, "scores": {"prm": 1}}', '"answer" is ["1"]'),
        ('{"answer": "1", "correct": true, "scores": {"prm": 1}}', '"problem_id" is missing'),
        ('{"problem_id": 1.5, "answer": "1", "correct": true, "scores": {"prm": 1}}', '"problem_id" is 1.5'),
        ('{"problem_id": "p", "answer": "1", "corr', "is not JSON"),
        ('["p"]', "is not an object"),
    ],
)
def test_a_bad_line_is_refused_with_file_line_and_value(tmp_path: Path, line: str, message: str) -> None:
    """Nothing is skipped or filled in; the second line of the file is the bad one."""
    path = _write(tmp_path / "in.jsonl", [_row("p", "1", True, prm=0.9)])
    path.write_text(path.read_text() + line + "\n")

    result = _run(path)

    assert isinstance(result.exception, InputError)
    assert f"{path}, line 2: " in str(result.exception)
    assert message in str(result.exception)


def test_two_ground_truths_of_one_problem_are_refused(tmp_path: Path) -> None:
    """Either the answer or the problem id is wrong."""
    rows: list[Row] = [{"problem_id": "p", "answer": "1", "gold": gold, "scores": {}} for gold in ("1", "2")]

    result = _run(_write(tmp_path / "in.jsonl", rows))

    assert 'line 2: "gold" is "2", but "1" on line 1' in str(result.exception)


@pytest.mark.usefixtures("string_grader")
def test_n_above_the_samples_of_a_problem_is_refused(tmp_path: Path) -> None:
    """The message names problem, samples and N."""
    result = _run(_write(tmp_path / "in.jsonl", _TWO_PROBLEMS), "--n", "4")

    assert isinstance(result.exception, InputError)
    assert "Problem one has 2 samples, fewer than N = 4" in str(result.exception)


@pytest.mark.parametrize("ns", ["0", "1,x", "", "-2", "1.5"])
def test_n_that_is_no_list_of_counts_is_bad_usage(tmp_path: Path, ns: str) -> None:
    """Exit code 2, before the file is read."""
    result = _run(tmp_path / "absent.jsonl", "--n", ns)

    assert result.exit_code == 2
    assert "is not a list of numbers" in result.stderr


@pytest.mark.usefixtures("string_grader")
def test_failure_leaves_the_old_json_as_it_was(tmp_path: Path) -> None:
    """A result file is replaced whole or not at all, and no partial file stays behind."""
    out = tmp_path / "out.json"
    out.write_text("old")

    _run(_write(tmp_path / "in.jsonl", _TWO_PROBLEMS), "--n", "64", "--json", out)

    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.json"]


@pytest.mark.usefixtures("string_grader")
def test_a_json_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """The folder does not exist."""
    result = _run(_write(tmp_path / "in.jsonl", _TWO_PROBLEMS), "--json", tmp_path / "no" / "out.json")

    assert "cannot be written (No such file or directory)" in str(result.exception)


def test_answers_written_differently_vote_together(tmp_path: Path) -> None:
    """With the real grader one half, in three notations, outvotes 2; nothing but gold is given."""
    pytest.importorskip("stepmark.labeling.grading")
    answers = [r"\frac{1}{2}", "0.5", "1/2", "2", "2"]
    rows = [
        {"problem_id": "p", "answer": answer, "gold": r"\frac12", "scores": {"prm": 0.5}}
        for answer in answers
    ]
    out = tmp_path / "out.json"

    result = _run(_write(tmp_path / "in.jsonl", rows), "--n", "1,5", "--json", out)

    assert result.exit_code == 0, result.output
    majority = json.loads(out.read_text())["curves"]["majority"]
    assert majority["1"]["value"] == pytest.approx(0.6)
    assert majority["5"]["value"] == 1.0


def test_the_commands_start_without_heavy_imports() -> None:
    """A wrong option is answered at once: no torch, sympy or polars until they are needed."""
    code = (
        "import sys, stepmark.app.best_of_n, stepmark.app.first_error; "
        "print(sorted({'torch', 'sympy', 'polars', 'transformers'} & sys.modules.keys()))"
    )

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout == "[]\n"
