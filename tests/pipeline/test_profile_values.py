"""Values of a profile that are refused: each is named with its field, before a run begins."""

from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError
from stepmark.pipeline.profile_file import load_profile


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("max_tokens = 10", "max_tokens = 0", "generator.max_tokens"),
        (
            "max_tokens = 10",
            "max_token = 10",
            "generator.max_token: there is no such key; the keys here are model,",
        ),
        (
            "max_tokens = 10",
            "engine = { kv_cache = 4 }",
            "engine.kv_cache: there is no such key;",
        ),
        (
            "max_tokens = 10",
            "engine = { seed = 4 }",
            "kv_cache_gib, gpu_memory_utilization, num_threads,",
        ),
        (
            "[rollouts]",
            '[[reward.models]]\nname = "a"\nkind = "orm"\nsize = 1\n[rollouts]',
            "reward.models.0.size: there is no such key; the keys here are name, kind, label_sources,",
        ),
        ("{problem}", "Solve it.", "does not hold {problem}"),
        ('name = "fake"', "name = ", "not TOML"),
        (
            "[rollouts]",
            '[[reward.models]]\nname = "a"\nkind = "prm"\n[rollouts]',
            "a prm names label_sources",
        ),
        (
            "[rollouts]",
            '[[reward.models]]\nname = "a"\nkind = "prm"\nlabel_sources = ["oracle"]\npools_solution = true\n'
            "[rollouts]",
            "a prm judges steps, so it cannot pool the solution",
        ),
    ],
)
def test_a_wrong_profile_is_refused_with_its_field(
    profile_path: Path, old: str, new: str, message: str
) -> None:
    """One sentence: the file, the field, what is wrong."""
    profile_path.write_text(profile_path.read_text().replace(old, new, 1))

    with pytest.raises(InputError) as refused:
        load_profile(str(profile_path))

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


_IN = {  # a key of each part, to the line that opens the part
    "evaluation": "[evaluation]",
    "rollouts": "[rollouts]",
    "problems": "[problems]",
    "generator": "[generator]",
    "generator.engine": "[generator.engine]",
    "reward": "[reward]",
    "leaks": "[leaks]",
}


@pytest.mark.parametrize(
    ("part", "line", "message"),
    [
        ("evaluation", "n = [0]", "evaluation.n.0: Input should be greater than or equal to 1 (value 0)"),
        ("evaluation", "n = []", "evaluation.n: Tuple should have at least 1 item"),
        ("evaluation", "n = [true]", "evaluation.n: true and false are no value here"),
        ("evaluation", "seed = -1", "evaluation.seed: Input should be greater than or equal to 0"),
        ("problems", "max_train = 99999999999", "problems.max_train: Input should be less than or equal to"),
        ("problems", "levels = [-1]", "problems.levels.0: Input should be greater than or equal to 0"),
        ("problems", 'files = [{path = ""}]', "problems.files.0.path: an empty text is no value here"),
        ("problems", r'files = [{path = "a\u0000"}]', "problems.files.0.path: a control character is in it"),
        (
            "generator",
            "temperature = inf",
            "generator.temperature: Input should be a finite number (value inf)",
        ),
        ("generator", "top_p = nan", "generator.top_p: Input should be a finite number (value nan)"),
        ("generator", 'stop = [""]', "generator.stop: an empty text is no value here"),
        (
            "generator.engine",
            "timeout_s = inf",
            "generator.engine.timeout_s: Input should be a finite number",
        ),
        ("generator.engine", 'kind = "endpoints"', "generator.engine: endpoints name urls, in_process none"),
        ("generator.engine", 'urls = ["http://a"]', "generator.engine: endpoints name urls, in_process none"),
        (
            "generator.engine",
            'kind = "endpoints"\nurls = ["a"]',
            "generator.engine: the url 'a' does not start",
        ),
        ("rollouts", "min_gain = inf", "rollouts.min_gain: Input should be a finite number"),
        ("reward", "reads_hidden = false\nreads_likelihood = false", "reward: a head that reads neither"),
        (
            "reward",
            'reads_likelihood = false\nmodels = [{ name = "a", kind = "orm", pools_solution = true }]',
            "reward: pools_solution of a changes nothing where reads_likelihood is false",
        ),
        ("leaks", "min_share = nan", "leaks.min_share: Input should be a finite number"),
        ("evaluation", "seed = 0x" + "f" * 5000, "evaluation.seed: Input should be less than or equal to"),
        ("evaluation", '"a\\nb" = 1', r"evaluation.'a\nb': there is no such key"),
    ],
)
def test_a_value_that_no_run_can_use_is_refused_before_one_begins(
    profile_path: Path, part: str, line: str, message: str
) -> None:
    """The same sentence; found out later it would cost hours."""
    header = _IN[part]
    text = profile_path.read_text()
    text = text if header in text else f"{text}\n{header}\n"
    key = line.partition(" ")[0]
    kept = [old for old in text.split("\n") if old.partition(" ")[0] != key or part == "problems"]
    profile_path.write_text("\n".join(kept).replace(header, f"{header}\n{line}"))

    with pytest.raises(InputError) as refused:
        load_profile(str(profile_path))

    assert f"profile.toml, {message}" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_more_samples_than_a_test_problem_gets_cannot_be_picked_from(profile_path: Path) -> None:
    """Measuring the smaller N alone would leave out what was asked for, and say nothing."""
    text = profile_path.read_text()
    profile_path.write_text(text + "[evaluation]\nn = [16, 1]\n")

    with pytest.raises(InputError) as refused:
        load_profile(str(profile_path))

    assert str(refused.value).endswith(
        "profile.toml, evaluation.n: 16 samples cannot be picked from generation.num_test_samples = 3"
        " (value [1, 16]); ask for a smaller N or for more samples."
    )


@pytest.mark.parametrize(("num_samples", "n"), [(3, ""), (0, "n = [16, 1]"), (16, "n = [16, 1]")])
def test_what_the_default_n_or_no_sampling_leaves_out_is_no_mistake(
    profile_path: Path, num_samples: int, n: str
) -> None:
    """Nobody asked for the default's 64, and without test samples there is nothing to measure."""
    text = profile_path.read_text().replace("num_test_samples = 3", f"num_test_samples = {num_samples}")
    profile_path.write_text(f"{text}[evaluation]\n{n}\n")

    assert load_profile(str(profile_path)).generation.num_test_samples == num_samples
