"""Names of reward models in a profile: which are taken by something else, and which are free."""

from pathlib import Path

import pytest

from stepmark.labeling.errors import InputError
from stepmark.pipeline.profile_file import load_profile

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
