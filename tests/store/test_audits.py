"""Each audit finds its planted offender, and none where all is well."""

import itertools

import duckdb
import polars as pl
import pytest

from stepmark.labeling.errors import StepmarkError
from stepmark.labeling.formats.estimates import estimate_of
from stepmark.labeling.formats.io.fields import RowError
from stepmark.store.auditing import list_audits, run_audit, run_audits
from stepmark.store.store import Store

# audit, what goes wrong, and the first column of each row the audit returns for it
_PLANTED = [
    ("steps_rejoin", "UPDATE steps SET char_end = 3 WHERE solution_id = 's1' AND step_index = 0", ["s1"]),
    ("steps_rejoin", "DELETE FROM steps WHERE solution_id = 's1' AND step_index = 0", ["s1"]),
    ("steps_rejoin", "DELETE FROM steps WHERE solution_id = 's3' AND step_index = 1", ["s3"]),
    ("steps_rejoin", "UPDATE steps SET step = 'other' WHERE solution_id = 's2' AND step_index = 1", ["s2"]),
    ("steps_rejoin", "UPDATE steps SET step_index = 5 WHERE solution_id = 's2' AND step_index = 1", ["s2"]),
    ("solutions_without_steps", "DELETE FROM steps WHERE solution_id = 's1'", ["s1"]),
    ("orphans", "DELETE FROM problems WHERE problem_id = 'p2'", ["solutions"]),
    ("orphans", "INSERT INTO steps VALUES ('lost', 0, 0, 1, 'x')", ["steps"]),
    ("orphans", "DELETE FROM steps WHERE solution_id = 's2' AND step_index = 1", ["step_labels"]),
    ("orphans", "UPDATE human_labels SET solution_id = 'lost'", ["human_labels"]),
    ("orphans", "DELETE FROM reward_models WHERE kind = 'orm'", ["scores"]),
    ("orphans", "UPDATE scores SET step_index = 9 WHERE reward_model_id = 'orm'", ["scores"]),
    ("orphans", "UPDATE orm_examples SET solution_id = 'lost' WHERE solution_id = 's2'", ["orm_examples"]),
    ("orphans", "UPDATE prm_examples SET label_source = 'lost' WHERE step_index = 1", ["prm_examples"]),
    ("orphans", "UPDATE grader_audits SET verdict = 'equal'", ["grader_audits"]),
    ("orphans", "UPDATE labeling_queue SET solution_id = 'lost'", ["labeling_queue"]),
    ("orphans", "INSERT INTO problem_roles VALUES ('lost', 'a.jsonl', 'test')", ["problem_roles"]),
    ("untraceable_samples", "DELETE FROM samplers WHERE sampler_id = 'g'", ["solutions"]),
    ("untraceable_samples", "DELETE FROM samplers WHERE sampler_id = 'c'", ["rollouts"]),
    ("train_test_overlap", "INSERT INTO orm_examples VALUES ('s3', 'train', 'incorrect', 0)", ["p2"]),
    ("train_test_overlap", "INSERT INTO prm_examples VALUES ('s3', 0, 'x', 'validation', 0, 0, 1)", ["p2"]),
    ("train_test_overlap", "UPDATE problems SET split = 'test'", ["p1"]),
    ("train_test_overlap", "UPDATE orm_examples SET split = 'validation' WHERE solution_id = 's2'", ["p1"]),
    (
        "same_text_in_both_splits",
        r"INSERT INTO problems (problem_id, source, split, problem) "
        r"VALUES ('p3', 'm', 'test', E'What\n  is $1+1$? ')",
        ["p1"],
    ),
    (
        "duplicate_problems",
        "INSERT INTO problems (problem_id, source, split, problem) "
        "VALUES ('p3', 'm', 'train', ' What is  $1+1$?')",
        ["train"],
    ),
    (
        "identical_samples",
        "INSERT INTO solutions (solution_id, problem_id, source, generator_id, sample_index, solution) "
        "SELECT concat('t', i), concat('p', 1 + i // 2), 'sampled', 'stuck', i % 2, 'x' "
        "FROM range(4) AS r(i)",
        ["stuck"],
    ),
    ("labels_count", "UPDATE step_labels SET num_correct = 3 WHERE num_correct = 2", ["s1"]),
    ("labels_count", "UPDATE step_labels SET num_truncated = 2 WHERE num_truncated = 1", ["s1"]),
    ("labels_count", "UPDATE step_labels SET value = 0.4 WHERE value = 0.5", ["s2"]),
    ("labels_count", "UPDATE step_labels SET value_low = 0.6 WHERE value = 0.5", ["s2"]),
    ("labels_count", "UPDATE step_labels SET num_correct = NULL WHERE value = 0.5", ["s2"]),
    ("labels_count", "UPDATE step_labels SET rating = -1 WHERE value = 0.5", ["s2"]),
    ("solutions_without_outcome", "UPDATE solutions SET outcome = NULL WHERE solution_id = 's2'", ["s2"]),
    ("verdict_vs_outcome", "UPDATE solutions SET outcome = 'correct'", ["s2", "s3"]),
    ("verdict_vs_outcome", "UPDATE answer_verdicts SET verdict = 'timeout'", ["s1", "s2"]),
    ("truncated_counted_wrong", "UPDATE solutions SET outcome = 'incorrect'", ["solutions"]),
    ("truncated_counted_wrong", "UPDATE rollouts SET outcome = 'no_answer'", ["rollouts"]),
    ("missing_scores", "DELETE FROM scores WHERE reward_model_id = 'prm' AND step_index = 0", ["prm"]),
    ("missing_scores", "UPDATE scores SET step_index = 0 WHERE reward_model_id = 'orm'", ["orm"]),
    ("constant_scores", "UPDATE scores SET p_negative = 0, p_neutral = 0, p_positive = 1", ["prm"]),
]


@pytest.mark.parametrize(("audit", "damage", "offenders"), _PLANTED)
def test_an_audit_finds_the_planted_offender(
    full_store: Store, audit: str, damage: str, offenders: list[str]
) -> None:
    """The rows it returns name what was damaged, and nothing else."""
    with full_store.transaction() as con:
        con.execute(damage).fetchall()

    assert run_audit(full_store, audit).to_series(0).to_list() == offenders


def test_a_store_in_order_passes_every_audit(full_store: Store) -> None:
    """No audit returns a row, so a check that fails means something."""
    assert {name: frame.height for name, frame in run_audits(full_store).items() if frame.height} == {}


def test_an_empty_store_passes_every_audit(store: Store) -> None:
    """Nothing there is nothing wrong."""
    assert {name: frame.height for name, frame in run_audits(store).items() if frame.height} == {}


def test_every_audit_has_a_planted_offender() -> None:
    """A new audit comes with the damage it finds."""
    assert sorted({audit for audit, _, _ in _PLANTED}) == [audit.name for audit in list_audits()]


def test_an_audit_says_what_it_asserts() -> None:
    """The sentence and the severity come from the head of its file."""
    audits = {audit.name: audit for audit in list_audits()}

    assert audits["truncated_counted_wrong"].severity == "error"
    assert audits["same_text_in_both_splits"].severity == "warn"
    assert audits["truncated_counted_wrong"].asserts == (
        "A sample cut off before its answer is truncated, never incorrect."
    )


def test_an_unknown_audit_is_named_with_the_known_ones(store: Store) -> None:
    """A wrong name gives the list of right ones."""
    with pytest.raises(StepmarkError, match=r"no audit 'step_rejoin'; the audits are constant_scores, "):
        run_audit(store, "step_rejoin")


def test_importers_refuse_the_counts_that_the_audit_condemns() -> None:
    """Neither more nor less: of all small ones, with any rating and value."""
    columns = {
        "num_rollouts": (None, 0, 2),
        "num_correct": (None, 0, 1),
        "num_truncated": (None, 0, 1),
        "num_ungraded": (None, 1),
        "value": (None, 0.5, 1.0),
        "value_low": (None, 0.75),
        "value_high": (None, 0.5),
        "p_wrong_low": (None, 0.25),
        "rating": (None, -1, 1),
    }
    labels = [dict(zip(columns, values, strict=True)) for values in itertools.product(*columns.values())]
    refused = set()
    for index, label in enumerate(labels):
        try:
            estimate_of(label, rating=label["rating"], value=label["value"])
        except RowError:
            refused.add(index)
    [audit] = [audit for audit in list_audits() if audit.name == "labels_count"]
    with duckdb.connect() as con:
        con.register(
            "step_labels",
            pl.DataFrame(labels, infer_schema_length=None)
            .with_row_index("step_index")
            .with_columns(solution_id=pl.lit("s"), label_source=pl.lit("mc"))
            .to_arrow(),
        )
        condemned = {row[1] for row in con.execute(audit.sql).fetchall()}

    assert refused == condemned
