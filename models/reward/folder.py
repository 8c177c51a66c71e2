"""What the folder of a reward model says of itself, readable without torch.

Leaves out: the weights (checkpoint.py).
"""

import json
from pathlib import Path

DESCRIPTION = "reward.json"
FORMAT = 2


def holds_reward_model(folder: Path) -> bool:
    """Whether a reward model of today's format is described in ``folder``; one of an older format is not."""
    try:
        description = json.loads((folder / DESCRIPTION).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(description, dict) and description.get("format") == FORMAT
