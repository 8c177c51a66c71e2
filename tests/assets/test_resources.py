"""What the assets of one process share."""

from stepmark.assets.resources import Pipeline


def test_the_assets_of_a_process_share_what_small_bases_have_read() -> None:
    """Each asset gets a pipeline of its own; several heads on one base would else read all again."""
    one, other = (Pipeline(home="home", profile=profile) for profile in ("minimath", "other.toml"))

    assert one.readings() is other.readings()
