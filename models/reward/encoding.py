"""From a problem and a stepped solution to token ids and, for each step, the tokens that are its own.

Positions come from the tokenizer's character offsets over the one text that is read, never from
tokenizing pieces. Leaves out: labels (examples.py). Legend: B solutions, T tokens, S steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from stepmark.labeling.errors import InputError
from stepmark.labeling.steps import StepSpan

NO_STEP = -1


@dataclass(frozen=True, slots=True)
class Encoded:
    """One solution as tokens.

    ``step_of_token[t]`` is the step that token t tells of, NO_STEP in the problem. ``step_ends[s]`` is
    the position of the last token of step s. ``num_steps`` counts the steps of the solution; where it is
    larger than ``len(step_ends)``, the model's length limit cut the rest off.
    """

    input_ids: list[int]
    step_of_token: list[int]
    step_ends: list[int]
    num_steps: int

    def positions_of(self, steps: Sequence[int]) -> list[int]:
        """The tokens that a head reads to judge ``steps``, in order."""
        wanted = set(steps)
        inside = {
            position
            for position, step in enumerate(self.step_of_token)
            if step in wanted and position <= self.step_ends[step]
        }
        return sorted(inside | {self.step_ends[step] for step in steps})

    def only(self, steps: Sequence[int]) -> "Encoded":
        """The solution as if it held the tokens of ``steps`` alone, which are then numbered from 0."""
        positions = self.positions_of(steps)
        new_step = {step: index for index, step in enumerate(steps)}
        new_position = {position: index for index, position in enumerate(positions)}
        return Encoded(
            [self.input_ids[position] for position in positions],
            [new_step.get(self.step_of_token[position], NO_STEP) for position in positions],
            [new_position[self.step_ends[step]] for step in steps],
            len(steps),
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded solutions. ``input_ids``, ``step_of_token``: (B, T); ``attention_mask``: (B, T), True is read;
    ``step_ends``: (B, S), NO_STEP where a solution has fewer steps.
    """

    input_ids: Tensor
    attention_mask: Tensor
    step_of_token: Tensor
    step_ends: Tensor

    def to(self, device: torch.device) -> "Batch":
        """The batch on another device."""
        return Batch(
            self.input_ids.to(device),
            self.attention_mask.to(device),
            self.step_of_token.to(device),
            self.step_ends.to(device),
        )


class Encoder:
    """Encodes solutions for one tokenizer and prompt template (which holds ``{problem}``).

    A token tells of the step it is part of; with ``pools_solution`` every token of a solution tells of its
    last step: what is judged there is the whole.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerFast,
        prompt_template: str,
        max_tokens: int,
        *,
        pools_solution: bool = False,
    ) -> None:
        if "{problem}" not in prompt_template:
            raise InputError(f"the prompt template {prompt_template!r} does not hold {{problem}}; add it.")
        self.tokenizer = tokenizer
        self.prompt_template = prompt_template
        self.max_tokens = max_tokens
        self.pools_solution = pools_solution

    def encode(self, problem: str, solution: str, steps: Sequence[StepSpan]) -> Encoded:
        """Encode one solution; ``num_steps`` counts steps past ``max_tokens`` too, which are cut off."""
        prompt = self.prompt_template.replace("{problem}", problem)
        encoding = self.tokenizer(prompt + solution, return_offsets_mapping=True, add_special_tokens=False)
        offsets: list[tuple[int, int]] = encoding["offset_mapping"]
        starts = [len(prompt) + span.char_start for span in steps]
        ends = [len(prompt) + span.char_start + len(_without_tail(span, solution)) for span in steps]
        step_of_token: list[int] = []
        step_ends: list[int] = []
        step = NO_STEP
        for position, (start, end) in enumerate(offsets[: self.max_tokens]):
            # A token belongs to the step that holds its last character; one glued to a newline belongs
            # to the step it ends.
            while (
                step + 1 < len(steps) and end > starts[step + 1] and start >= (ends[step] if step >= 0 else 0)
            ):
                step += 1
            step_of_token.append(step)
            while len(step_ends) <= step and len(step_ends) < len(steps) and end >= ends[len(step_ends)]:
                step_ends.append(position)
        if self.pools_solution:
            step_of_token = [NO_STEP if step == NO_STEP else len(steps) - 1 for step in step_of_token]
        return Encoded(encoding["input_ids"][: self.max_tokens], step_of_token, step_ends, len(steps))

    def collate(self, rows: Sequence[Encoded]) -> Batch:
        """Pad rows on the right."""
        num_tokens = max(len(row.input_ids) for row in rows)
        num_steps = max(1, *(len(row.step_ends) for row in rows))
        pad = self.tokenizer.pad_token_id if self.tokenizer.pad_token_id is not None else 0
        return Batch(
            input_ids=_padded([row.input_ids for row in rows], num_tokens, pad),
            attention_mask=_padded([[1] * len(row.input_ids) for row in rows], num_tokens, 0).bool(),
            step_of_token=_padded([row.step_of_token for row in rows], num_tokens, NO_STEP),
            step_ends=_padded([row.step_ends for row in rows], num_steps, NO_STEP),
        )


def _without_tail(span: StepSpan, solution: str) -> str:
    return solution[span.char_start : span.char_end].rstrip()


def _padded(rows: Sequence[Sequence[int]], width: int, value: int) -> Tensor:
    return torch.tensor([list(row) + [value] * (width - len(row)) for row in rows], dtype=torch.long)
