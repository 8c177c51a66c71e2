"""The leak gate: what stops a model from being trained, and the decision that lets it."""

import json
from pathlib import Path

import dagster as dg
import pytest
from click.testing import CliRunner

from stepmark.app.refresh import refresh_command
from stepmark.app.report import write_report
from stepmark.app.run import refresh
from stepmark.assets import reward_assets
from stepmark.assets.leak_gates import leak_gates
from stepmark.assets.problem_assets import human_labels
from stepmark.assets.resources import Pipeline
from stepmark.assets.reward_assets import prm_examples, reward_model_assets
from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.minimath import distinct_problems
from stepmark.labeling.overlap import find_overlaps
from stepmark.pipeline import leaks
from stepmark.pipeline.ingest import ingest_path, ingest_problems
from stepmark.pipeline.label_files import ingest_labels
from stepmark.pipeline.leaks import measure_overlaps
from stepmark.pipeline.profile import Leaks, Profile
from stepmark.pipeline.profile_file import load_profile
from stepmark.store.store import Store
from tests.small_pipeline import FakeEngine

PRM = '\n[[reward.models]]\nname = "prm"\nkind = "prm"\nlabel_sources = ["processbench"]\n'


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the models whose training was begun, in the place of training them."""
    names: list[str] = []

    def train(store: object, profile: object, model: object, readings: object) -> dict[str, str]:
        names.append(model.name)
        return {}

    monkeypatch.setattr(reward_assets, "train_reward_model", train)
    monkeypatch.setattr(reward_assets, "_training_metadata", lambda row, started: {})
    return names


@pytest.fixture
def prm_pipeline(pipeline: Pipeline, profile_path: Path) -> Pipeline:
    """The small profile with a PRM that learns from ProcessBench's labels."""
    profile_path.write_text(profile_path.read_text().replace('base = "fake"', 'base = "tiny:base"') + PRM)
    return pipeline


def write_bench(path: Path, *problems: str) -> Path:
    """A file as ProcessBench has it, with one solution to each problem."""
    rows = [{"problem": p, "steps": ["a", "b"], "label": 1, "final_answer_correct": False} for p in problems]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def write_problems(path: Path, *problems: str) -> Path:
    """A file of problems."""
    path.write_text("\n".join(json.dumps({"problem": p, "answer": "1"}) for p in problems) + "\n")
    return path


def materialize(pipeline: Pipeline, *, examples: bool = True) -> dg.ExecuteInProcessResult:
    """Make the examples, check them, train the model; or the model alone."""
    made = [prm_examples, leak_gates()[2]] if examples else []
    return dg.materialize(
        [*made, *reward_model_assets(pipeline.settings())],
        resources={"pipeline": pipeline},
        raise_on_error=False,
    )


def allowing(pipeline: Pipeline) -> Pipeline:
    """The same pipeline in a run with --allow-leak."""
    return Pipeline(home=pipeline.home, profile=pipeline.profile, allow_leak=True)


@pytest.mark.slow
def test_a_problem_asked_for_in_both_splits_stops_the_training(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """Its labels are kept out of training anyway, but whoever asked for them must know."""
    test = write_problems(tmp_path / "math.jsonl", "Q one?", "Q two?")
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?", "Q three?")
    ingest_path(store, test, "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    result = materialize(prm_pipeline)

    assert not result.success
    assert trained == []
    row = store.read_published("SELECT * EXCLUDE (share, excerpt) FROM leaks").row(0, named=True)
    assert row["trained_problem_id"] == row["evaluated_problem_id"]
    assert row["kind"] == "exact"
    assert row["trained_in"] == []
    assert (row["train_asked_by"], row["test_asked_by"]) == ([str(bench)], [str(test)])
    assert not row["is_allowed"]


@pytest.mark.slow
def test_a_problem_in_other_spelling_stops_the_training_once_it_is_learned_from(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """An overlap that no example rests on is listed, and stops nothing."""
    ingest_path(store, write_problems(tmp_path / "math.jsonl", r"What is $\,1 + 1$?"), "math", "test")
    ingest_path(store, write_problems(tmp_path / "more.jsonl", "What is $1+1$"), "math", "train")
    unlearned = materialize(prm_pipeline)
    assert store.read("SELECT kind FROM problem_overlaps").rows() == [("normalised",)]
    assert store.read("FROM leaks").is_empty()
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "What is $1+1$"), "processbench", "train")
    learned = materialize(prm_pipeline)

    assert (unlearned.success, learned.success, trained) == (True, False, ["prm"])
    assert store.read("SELECT kind, trained_in FROM leaks").rows() == [("normalised", ["prm_examples"])]


@pytest.mark.slow
def test_the_check_lists_the_offenders_and_the_ways_out(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path
) -> None:
    """Ids, kind, share and excerpt as a table; files and remedy in one sentence."""
    test = write_problems(tmp_path / "math.jsonl", "Q one?")
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    ingest_path(store, test, "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    (found,) = materialize(prm_pipeline).get_asset_check_evaluations()

    assert not found.passed
    assert found.description is not None
    assert found.description.startswith("1 overlaps (1 exact) of problems asked for in both splits, first p")
    assert f"as train by {bench} and as test by {test}: 'Q one?'" in found.description
    assert found.metadata["num_leaks"].value == 1
    shown = found.metadata["leaks"].records[0].data
    assert {"trained_problem_id", "evaluated_problem_id", "kind", "share", "excerpt"} <= set(shown)


@pytest.mark.slow
def test_only_what_is_learned_from_is_called_trained_on(
    prm_pipeline: Pipeline, store: Store, profile: Profile, tmp_path: Path
) -> None:
    """The sentence and the report tell it from a problem that its split keeps out of the examples."""
    problems = "Q one?", r"What is $\,1 + 1$?"
    ingest_path(store, write_problems(tmp_path / "math.jsonl", *problems), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "a.jsonl", "What is $1+1$"), "processbench", "train")
    (learned,) = materialize(prm_pipeline).get_asset_check_evaluations()
    page = write_report(store, profile.reward, tmp_path / "report.html").read_text()
    ingest_labels(store, write_bench(tmp_path / "b.jsonl", "Q one?"), "processbench", "train")
    (both,) = materialize(prm_pipeline).get_asset_check_evaluations()
    page_of_both = write_report(store, profile.reward, tmp_path / "report.html").read_text()

    kinds = "of problems trained on with problems evaluated on"
    assert str(learned.description).startswith(f"1 overlaps (1 normalised) {kinds}, first p")
    assert str(both.description).startswith(
        f"2 overlaps (1 exact, 1 normalised) {kinds}, 1 of them only asked for in both splits, first p"
    )
    assert "<h2>Problems both trained on and evaluated on</h2>" in page
    assert "<h2>Problems both trained on and evaluated on, or asked for in both splits</h2>" in page_of_both


@pytest.mark.slow
def test_a_recorded_decision_lets_the_training_run(
    prm_pipeline: Pipeline,
    store: Store,
    tmp_path: Path,
    trained: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who, when, how and which pairs; it holds in later runs for these pairs and for no others."""
    monkeypatch.setattr(leaks.getpass, "getuser", lambda: "ann")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?", "Q two?"), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q one?", "Q 3?"), "processbench", "train")

    allowed, later = materialize(allowing(prm_pipeline)), materialize(prm_pipeline)
    ingest_labels(store, write_bench(tmp_path / "more.jsonl", "Q two?"), "processbench", "train")
    refused = materialize(prm_pipeline)

    assert (allowed.success, later.success, refused.success) == (True, True, False)
    assert trained == ["prm", "prm"]
    decision = store.read("FROM leak_decisions").row(0, named=True)
    assert (decision["decided_by"], decision["decided_through"], decision["kind"]) == (
        "ann",
        "--allow-leak",
        "exact",
    )
    assert decision["decided_at"] is not None
    (check,) = refused.get_asset_check_evaluations()
    assert (check.metadata["num_leaks"].value, check.metadata["num_allowed"].value) == (1, 1)


@pytest.mark.slow
def test_the_profile_can_hold_the_decision(
    prm_pipeline: Pipeline, store: Store, profile_path: Path, tmp_path: Path, trained: list[str]
) -> None:
    """The record says that it came from there."""
    text = profile_path.read_text()
    allowing_profile = tmp_path / "allowing.toml"
    allowing_profile.write_text(text + "\n[leaks]\nallow_leak = true\n")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q one?"), "processbench", "train")
    result = materialize(Pipeline(home=prm_pipeline.home, profile=str(allowing_profile)))

    assert (result.success, trained) == (True, ["prm"])
    assert store.read("SELECT decided_through FROM leak_decisions").item() == "profile"


@pytest.mark.slow
def test_a_model_made_without_its_examples_is_refused_as_well(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """The check stands at the examples; in the UI a model can be made alone."""
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q one?"), "processbench", "train")
    result = materialize(prm_pipeline, examples=False)

    assert (result.success, trained) == (False, [])


@pytest.mark.slow
def test_importing_a_file_again_with_the_right_split_mends_a_leak(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str]
) -> None:
    """What a file says last counts, also for its problems that nobody else asked for."""
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?", "Q three?")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    ingest_labels(store, bench, "processbench", "test")
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (True, ["prm"])
    assert store.read("SELECT DISTINCT split FROM problems").rows() == [("test",)]


@pytest.mark.parametrize("is_learned", [False, True])
def test_a_file_of_problems_mends_its_split_while_no_model_learned_from_it(
    prm_pipeline: Pipeline, store: Store, tmp_path: Path, trained: list[str], is_learned: bool
) -> None:
    """Once all who asked agree, training goes on; a problem learned from stops it with another way out."""
    mistaken, test = (write_problems(tmp_path / name, "Q one?") for name in ("a.jsonl", "b.jsonl"))
    ingest_path(store, mistaken, "math", "train")
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q two?"), "processbench", "train")
    ingest_path(store, test, "math", "test")
    with store.transaction() as con:
        con.execute(
            "INSERT INTO solutions (solution_id, problem_id, source, solution)"
            " SELECT 's', problem_id, 'labeled', 'x' FROM problems WHERE problem = 'Q one?';"
            "INSERT INTO prm_examples VALUES ('s', 0, 'human', 'train', 0, 0, 1)"
        )
        if is_learned:
            con.execute(
                "INSERT INTO reward_models (reward_model_id, kind, base_model, label_sources, config,"
                " checkpoint, checkpoint_sha256, metrics, created_at)"
                " VALUES ('old', 'prm', 'tiny', [], '{}', 'old', 'abc', '{}', '2026-01-01')"
            )
    settings = prm_pipeline.settings().leaks
    stopped = leaks.find_leaks(store, settings, "prm_examples")
    ingest_path(store, mistaken, "math", "test")
    left = leaks.find_leaks(store, settings, "prm_examples")

    assert leaks.sentence(stopped).count("import a file whose split is wrong again") == 1
    assert left.height == is_learned
    if is_learned:
        assert "as train by nobody known" in leaks.sentence(left)
        assert "keeps its split, so import its files again with that one" in leaks.sentence(left)
        ingest_path(store, mistaken, "math", "train")
        ingest_path(store, test, "math", "train")
        assert leaks.find_leaks(
            prm_pipeline.store(), prm_pipeline.settings().leaks, "prm_examples"
        ).is_empty()


@pytest.mark.slow
def test_two_files_of_one_name_are_two(
    prm_pipeline: Pipeline,
    store: Store,
    tmp_path: Path,
    trained: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bare name is another file in another folder: what the first asked for still counts."""
    for split in ("test", "train"):
        folder = tmp_path / split
        folder.mkdir()
        write_bench(folder / "l.jsonl", "Q one?")
        monkeypatch.chdir(folder)
        ingest_labels(store, Path("l.jsonl"), "processbench", split)
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (False, [])
    assert store.read("SELECT split FROM problems").rows() == [("test",)]
    assert store.read("SELECT train_asked_by, test_asked_by FROM leaks").rows() == [
        ([str(tmp_path / "train" / "l.jsonl")], [str(tmp_path / "test" / "l.jsonl")])
    ]


@pytest.mark.slow
def test_one_file_is_one_however_its_path_is_typed(
    prm_pipeline: Pipeline,
    store: Store,
    tmp_path: Path,
    trained: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The remedy works from any folder, and where a row came from stays as it was typed."""
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q one?"), "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    monkeypatch.chdir(tmp_path)
    ingest_labels(store, Path("bench.jsonl"), "processbench", "test")
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (True, ["prm"])
    assert store.read("SELECT DISTINCT split FROM problem_roles").rows() == [("test",)]
    assert store.read("SELECT source_file FROM problems").rows() == [(str(tmp_path / "math.jsonl"),)]


def test_every_field_of_the_policy_has_an_effect(store: Store, tmp_path: Path) -> None:
    """The profile's numbers reach the comparison."""
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    ingest_path(store, write_problems(tmp_path / "a.jsonl", words), "math", "train")
    ingest_path(store, write_problems(tmp_path / "b.jsonl", words + " x lambda mu nu"), "math", "test")
    ingest_path(store, write_problems(tmp_path / "c.jsonl", "y " + words), "math", "train")

    assert measure_overlaps(store, Leaks()) == 2
    assert measure_overlaps(store, Leaks(num_words=11)) == 0
    assert measure_overlaps(store, Leaks(min_share=0.8)) == 1
    assert measure_overlaps(store, Leaks(max_common=1)) == 0


@pytest.mark.slow
def test_the_report_tells_the_leaks_and_the_decisions(
    prm_pipeline: Pipeline, store: Store, profile: Profile, tmp_path: Path, trained: list[str]
) -> None:
    """Whoever reads the figures reads what they were bought with."""
    ingest_path(store, write_problems(tmp_path / "math.jsonl", "Q <one>?"), "math", "test")
    store.publish()
    before = write_report(store, profile.reward, tmp_path / "report.html").read_text()
    ingest_labels(store, write_bench(tmp_path / "bench.jsonl", "Q <one>?"), "processbench", "train")
    materialize(allowing(prm_pipeline))
    store.publish()
    after = write_report(store, profile.reward, tmp_path / "report.html").read_text()

    assert "None: no problem trained on is, or is nearly, one evaluated on." in before
    assert "1 of them were allowed by decision" in after
    assert "<h2>Problems asked for in both splits</h2>" in after
    assert "In 1 of them the two are one problem, asked for in both splits, that nothing was trained" in after
    assert "through --allow-leak, 2" in after
    assert "Q &lt;one&gt;?" in after


def test_the_report_of_an_older_snapshot_says_that_leaks_are_not_known(
    store: Store, profile: Profile, tmp_path: Path
) -> None:
    """A snapshot without the view is no snapshot without leaks."""
    with store.transaction() as con:
        con.execute("DROP VIEW leaks")
    store.publish()

    assert (
        "the snapshot is older than the check"
        in write_report(store, profile.reward, tmp_path / "report.html").read_text()
    )


@pytest.mark.slow
def test_refresh_stops_with_the_sentence_of_the_gate_and_goes_on_with_allow_leak(
    prm_pipeline: Pipeline, profile_path: Path, tmp_path: Path, trained: list[str]
) -> None:
    """The whole job, with a minimath training problem among the test problems of a file."""
    problem = distinct_problems(4, 0, "train")[0].problem
    file = tmp_path / "test.jsonl"
    spaced = {"problem": problem.problem.replace(" ", "  "), "answer": problem.ground_truth_answer}
    file.write_text(json.dumps(spaced) + "\n")
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    profile_path.write_text(
        profile_path.read_text()
        .replace(
            "[problems]",
            f'[problems]\nfiles = [{{ path = "{file}", split = "test" }}]\n'
            f'labels = [{{ path = "{bench}", split = "test" }}]',
        )
        .replace("num_minimath_test = 3", "num_minimath_test = 0\nmax_test = 0")
        .replace('["processbench"]', '["oracle", "processbench"]')
    )
    arguments = ["--profile", str(profile_path), "--home", prm_pipeline.home]
    stopped = CliRunner().invoke(refresh_command, arguments, obj=type(prm_pipeline))

    assert isinstance(stopped.exception, StepmarkError)
    assert "the check 'leak_gate' of the asset 'orm_examples' failed: 1 overlaps" in str(stopped.exception)
    assert "allow them with --allow-leak" in str(stopped.exception)
    assert trained == []
    went_on = CliRunner().invoke(
        refresh_command, [*arguments, "--allow-leak"], obj=type(prm_pipeline), catch_exceptions=False
    )
    assert (went_on.exit_code, trained) == (0, ["prm"])
    assert "> solutions\n  nothing new\n> " in went_on.stderr
    told = "kept out of training, as their problems are for testing: 2 labels by processbench"
    assert f"> prm_examples\n  {told}\n> " in went_on.stderr
    assert "> best_of_n\n> " in went_on.stderr  # made anew each time
    home = prm_pipeline.home
    assert went_on.stdout.splitlines() == [
        f"Database  {home}/published/stepmark.duckdb"
        f"   try: stepmark sql --home {home} 'SELECT * FROM label_counts'",
        f"Report    {home}/report.html   write it: stepmark report --home {home} --profile {profile_path}",
    ]


@pytest.mark.slow
def test_refresh_stops_for_a_problem_in_both_splits_before_it_samples(
    prm_pipeline: Pipeline, profile_path: Path, tmp_path: Path, trained: list[str], engine: FakeEngine
) -> None:
    """It is known once the files are read; allowed, it is on record, and no later gate stops for it."""
    bench = write_bench(tmp_path / "bench.jsonl", "Q one?")
    labels = f'labels = [{{ path = "{bench}", split = "train" }}]'
    profile_path.write_text(profile_path.read_text().replace("[problems]", f"[problems]\n{labels}"))
    ingest_path(prm_pipeline.store(), write_problems(tmp_path / "test.jsonl", "Q one?"), "math", "test")
    with pytest.raises(StepmarkError, match="the check 'leak_gate' of the asset 'human_labels' failed: 1 ov"):
        refresh(Path(prm_pipeline.home), str(profile_path), resource=type(prm_pipeline))

    assert engine.calls == []
    assert prm_pipeline.store().read_published("SELECT trained_in FROM leaks").rows() == [([],)]
    store = prm_pipeline.store()
    result = dg.materialize(
        [human_labels, leak_gates()[0]], resources={"pipeline": allowing(prm_pipeline)}, raise_on_error=False
    )
    assert result.success
    assert store.read("SELECT kind, decided_through FROM leak_decisions").rows() == [
        ("exact", "--allow-leak")
    ]
    assert materialize(prm_pipeline).success


def test_problems_are_compared_once_while_they_stay_the_same(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every gate and every model of a refresh asks; the pairs are stored again, whoever has changed them."""
    compared = []
    monkeypatch.setattr(
        leaks, "find_overlaps", lambda *sides: compared.append(sides) or find_overlaps(*sides)
    )
    ingest_path(store, write_problems(tmp_path / "a.jsonl", "Compare $1$ once."), "math", "train")
    ingest_path(store, write_problems(tmp_path / "b.jsonl", "compare  $1$ once"), "math", "test")
    measure_overlaps(store, Leaks())
    store.delete("problem_overlaps", "true")

    assert (measure_overlaps(store, Leaks()), len(compared)) == (1, 1)
    assert store.read("SELECT count(*) FROM problem_overlaps").item() == 1
    ingest_path(store, write_problems(tmp_path / "c.jsonl", "COMPARE $1$ once"), "math", "train")
    assert (measure_overlaps(store, Leaks()), len(compared)) == (2, 2)
    measure_overlaps(store, Leaks(num_words=9))
    assert len(compared) == 3


def test_the_demos_problems_pass_the_gate(store: Store) -> None:
    """Families of problems share their wording; that is no leak."""
    profile = load_profile("minimath")
    ingest_problems(store, profile.problems)

    assert measure_overlaps(store, profile.leaks) == 0


@pytest.mark.slow
def test_processbench_as_training_data_stops_the_training(
    real_data: Path, prm_pipeline: Pipeline, store: Store, trained: list[str]
) -> None:
    """108 of its MATH problems are test problems; as test data it leaks nothing."""
    bench = real_data / "step_labels" / "processbench_math.json"
    ingest_path(store, real_data / "math" / "prm800k_split_test_500.jsonl", "math", "test")
    ingest_labels(store, bench, "processbench", "train")
    stopped = materialize(prm_pipeline)
    kinds = store.read("SELECT kind, count(*) FROM leaks GROUP BY ALL").rows()
    assert (stopped.success, trained) == (False, [])
    assert ("exact", 108) in kinds
    ingest_labels(store, bench, "processbench", "test")
    went_on = materialize(prm_pipeline)

    assert (went_on.success, trained) == (True, ["prm"])
    assert store.read("FROM leaks").is_empty()


@pytest.mark.slow
@pytest.mark.parametrize("order", [("train", "test"), ("test", "train")])
def test_maths_own_repeated_problem_stops_the_training(
    real_data: Path, prm_pipeline: Pipeline, store: Store, trained: list[str], order: tuple[str, str]
) -> None:
    """The pair that differs in white space only, whichever file is read first."""
    names = {"train": "math_train_7500.jsonl", "test": "math_test_5000.jsonl"}
    for split in order:
        ingest_path(store, real_data / "math" / names[split], "math", split)
    result = materialize(prm_pipeline)

    assert (result.success, trained) == (False, [])
    assert store.read("SELECT kind, excerpt FROM leaks WHERE starts_with(excerpt, 'The points')").height == 1
