"""Profiles: what is read, and how a wrong one is refused."""

import os
from pathlib import Path
from typing import Any

import pytest

from stepmark.labeling.errors import InputError
from stepmark.models.sampling import EngineConfig
from stepmark.pipeline import samplers
from stepmark.pipeline.profile import Engine, Profile
from stepmark.pipeline.profile_file import load_profile


def test_the_embedded_default_is_a_whole_profile() -> None:
    """It judges on at least 200 problems, at N up to 64."""
    profile = load_profile("minimath")

    assert profile.problems.num_minimath_test >= 200
    assert profile.evaluation.n == (1, 4, 16, 64)
    assert profile.generation.num_test_samples == 64
    assert [model.pools_solution for model in profile.reward.models if model.kind == "orm"] == [False, True]


def test_relative_paths_start_at_the_profiles_folder(tmp_path: Path, profile_path: Path) -> None:
    """A profile can travel with its data."""
    files = '[problems]\nfiles = [{ path = "math.jsonl", split = "train" }]\n'
    profile_path.write_text(profile_path.read_text().replace("[problems]\n", files))

    assert load_profile(str(profile_path)).problems.files[0].path == str(tmp_path / "math.jsonl")


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


def test_sizes_of_subsets_are_put_in_order(profile_path: Path) -> None:
    """Reports call the last one the largest."""
    profile_path.write_text(profile_path.read_text() + "[evaluation]\nn = [3, 1, 3]\n")

    assert load_profile(str(profile_path)).evaluation.n == (1, 3)


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


def _with_models(profile_path: Path, engine: str = "") -> Profile:
    (profile_path.parent / "mine").mkdir()
    text = profile_path.read_text().replace('model = "fake"', 'model = "mine"' + engine)
    text = text.replace('base = "fake"', 'base = "mine"\nlikelihoods = ["mine", "tiny:base", "owner/name"]')
    profile_path.write_text(text)
    return load_profile(str(profile_path))


def test_model_folders_start_at_the_profiles_folder(
    tmp_path: Path, profile_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Generator, base and likelihoods alike; names that are no folder stay as they are."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    profile = _with_models(profile_path)

    mine = str(tmp_path / "mine")
    assert (profile.generator.model, profile.reward.base) == (mine, mine)
    assert profile.reward.likelihoods == (mine, "tiny:base", "owner/name")


def test_a_servers_model_keeps_its_name(profile_path: Path) -> None:
    """A folder that happens to be called like it is not what the server serves."""
    engine = '\nengine = { kind = "endpoints", urls = ["http://127.0.0.1:1"] }'

    assert _with_models(profile_path, engine).generator.model == "mine"


def test_the_engine_takes_every_option_of_the_samplers(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the profile says reaches the engine's configuration; model and seed are the generator's."""
    opened: list[EngineConfig] = []
    monkeypatch.setattr(samplers, "open_sampler", opened.append)
    options: dict[str, Any] = {
        "kind": "endpoints", "urls": ("http://127.0.0.1:1",), "api_key_variable": "K", "dtype": "float16",
        "max_model_len": 99, "max_num_seqs": 7, "kv_cache_gib": 0.5, "gpu_memory_utilization": 0.4,
        "num_threads": 3, "logprobs": True, "timeout_s": 9.0, "max_tries": 2,
    }  # fmt: skip
    settings = load_profile(str(profile_path)).generator
    samplers.Engines().open(settings.model_copy(update={"engine": Engine(**options)}), 5)

    assert [config.model_dump() for config in opened] == [options | {"model": "fake", "seed": 5}]


_ORM = '[[reward.models]]\nname = "{}"\nkind = "orm"\n'


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("majority", "a selector"),
        ("pass", "a selector"),
        ("monte_carlo", "a label source"),
        ("human", "a label source"),
        ("oracle", "a label source"),
        ("best_of_n", "an asset"),
        ("config", "Dagster"),
        ("orm_weighted", "like the name of a selector"),
        ("prm_min", "like the name of a selector"),
        ("my_likelihood_sum", "like the name of a selector"),
        ("a/../b", "other characters"),
        ("prm-2", "other characters"),
    ],
)
def test_a_reward_model_with_a_name_that_is_taken_is_refused(
    profile_path: Path, name: str, reason: str
) -> None:
    """Its figures, asset or checkpoint would be mixed up with another's; one sentence says with whose."""
    profile_path.write_text(profile_path.read_text() + _ORM.format(name))

    with pytest.raises(InputError, match=rf"reward\.models\.0\.name: .*{reason}.*choose another") as refused:
        load_profile(str(profile_path))

    assert "\n" not in str(refused.value)


def test_ordinary_names_of_reward_models_are_taken(profile_path: Path) -> None:
    """Numbers and words that only contain a reserved one are free."""
    names = ("orm", "prm_2", "prm_monte_carlo", "passable")
    profile_path.write_text(profile_path.read_text() + "".join(map(_ORM.format, names)))

    assert tuple(model.name for model in load_profile(str(profile_path)).reward.models) == names


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
