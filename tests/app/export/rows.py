"""Rows of every format that can be exported, as a file holds them."""

from typing import Any

Row = dict[str, Any]


def steps(*rated: tuple[str, int | None], **changes: object) -> list[Row]:
    """PRM800K steps of one completion each."""
    step = {"human_completion": None, "chosen_completion": 0} | changes
    return [
        step | {"completions": [{"text": text, "rating": rating, "flagged": None}]} for text, rating in rated
    ]


def prm800k(*labeled: Row, **changes: Any) -> Row:
    """A phase 1 line of PRM800K."""
    return {
        "labeler": "anna",
        "timestamp": "2022-07-30T23:23:32.500000",
        "generation": None,
        "is_quality_control_question": False,
        "is_initial_screening_question": None,
        "question": {"problem": "What is $1+1$?", "ground_truth_answer": "2"},
        "label": {"steps": list(labeled), "total_time": 5000, "finish_reason": "solution"},
    } | changes


WRITTEN = {"text": " by hand ", "rating": None, "flagged": False}

GENERATED = {
    "problem": "How much?",
    "ground_truth_answer": "8",
    "ground_truth_solution": "It is $8$.",
    "pre_generated_steps": ["3 + 5", " so\n8", "Done."],
    "pre_generated_answer": "8",
}

ALTERNATIVE = {"text": "bad", "rating": -1, "flagged": True}

TWO = steps(("so 2\n\n# Answer\n\n2", 0))[0]
TWO = TWO | {"completions": [*TWO["completions"], ALTERNATIVE]}

ROWS: dict[str, list[Row]] = {
    "prm800k": [
        prm800k(*steps(("b ", 1)), TWO),
        prm800k(*steps(("a", 1)), *steps(("b", None), chosen_completion=None, human_completion=WRITTEN)),
        prm800k(*steps(("a", 1)), *steps(("x", None), ("y", None), chosen_completion=None)[:1], labeler=None),
        prm800k(*steps(("3 + 5", 1), (" so\n8", -1)), question=GENERATED, generation=6),
        prm800k(*steps(("3 + 5", -1)), question=GENERATED, generation=6, labeler="ben"),
        prm800k(*steps(("3 + 5", 0)), question=GENERATED, labeler="eve", is_quality_control_question=True),
    ],
    "trl": [
        {"prompt": "How many?", "completions": ["a", " b\nc"], "labels": [True, False]},
        {"prompt": "How many?", "completions": [" a, b", "\u2028" + "c"], "labels": [False, True]},
    ],
    "math-shepherd": [
        {
            "input": "How many? Step 1: 3 + 5 = 8. ки\nStep 2: The answer is: 8 ки",
            "label": "How many? Step 1: 3 + 5 = 8. +\nStep 2: The answer is: 8 -",
        }
    ],
    "rlhflow": [
        {
            "messages": [
                {"role": "user", "content": "How  many? Step 1: 3 + 5 = 8."},
                {"role": "assistant", "content": "+"},
                {"role": "user", "content": "The answer is 8"},
                {"role": "assistant", "content": "-"},
            ]
        },
        {
            "conversations": [
                {"role": "user", "content": "Why? Since."},
                {"role": "assistant", "content": "-"},
            ],
            "problem": "Why?",
        },
    ],
    "processbench": [
        {
            "problem": "Q",
            "steps": ["a", " b", "c"],
            "final_answer_correct": True,
            "label": 1,
            "generator": "m",
        },
        {"problem": "Q", "steps": ["a", "c"], "final_answer_correct": False, "label": -1},
        {"problem": "Q2", "steps": ["a\nb"], "final_answer_correct": None, "label": 0},
    ],
    "omegaprm": [
        {
            "question": "How many?",
            "final_answer": "8",
            "reasoning_steps": [
                {"solution_prefix": "How many?", "mc_value": 0.5},
                {"solution_prefix": "How many?\n\na", "mc_value": 0.25},
                {"solution_prefix": "How many?\n\na\n\nb", "mc_value": 0.1},
                {"solution_prefix": "How many?\n\na\n\nc\nd", "mc_value": 1},
            ],
        },
        {
            "question": "Which?",
            "final_answer": "9",
            "reasoning_steps": {
                "text": "Which?",
                "mc_value": 0.5,
                "children": [
                    {
                        "text": "a",
                        "mc_value": None,
                        "children": [{"text": "b", "mc_value": 0, "children": []}],
                    },
                    {"text": "c", "mc_value": 0.75, "children": []},
                ],
            },
        },
    ],
    "label-studio": [
        {
            "id": 7,
            "data": {"problem": "How many?", "steps": [{"text": "a"}, {"text": "b\nc"}], "generator": "m"},
            "annotations": [
                {
                    "completed_by": {"id": 3, "email": "ann@example.org"},
                    "created_at": "2026-01-05T10:00:00.500000Z",
                    "lead_time": 31.5,
                    "was_cancelled": False,
                    "result": [
                        {"from_name": "rating_1", "type": "choices", "value": {"choices": ["wrong"]}},
                        {"from_name": "comment", "type": "textarea", "value": {"text": ["hm"]}},
                    ],
                },
                {"completed_by": 12, "result": [], "was_cancelled": False},
                {"completed_by": 13, "result": [], "was_cancelled": True},
            ],
            "predictions": [
                {
                    "model_version": "prm",
                    "result": [
                        {"from_name": "rating_0", "value": {"choices": ["neutral"]}, "score": 0.75},
                        {"from_name": "rating_1", "value": {"choices": ["wrong"]}},
                    ],
                }
            ],
        }
    ],
    "stepmark": [
        {
            "problem": "Q?",
            "steps": ["a", "b"],
            "label_source": "mc",
            "ratings": [0, None],
            "values": [None, 0.1],
        },
        {
            "problem": "Q?",
            "steps": ["a", "c"],
            "label_source": "mc",
            "values": [0.75, 0.25],
            "estimates": [
                {"num_rollouts": 4, "num_correct": 3, "value_low": 0.2, "value_high": 0.9},
                {
                    "p_wrong_low": 0.6,
                    "p_wrong_high": 0.7,
                    "has_signal": False,
                    "cost_tokens": 7,
                    "estimator": "x",
                },
            ],
        },
    ],
}

TABLE = [
    {"problem": "Q?", "solution_id": "x", "step_index": 1, "step": "b, \"c\"\nd", "rating": -1,
     "labeler": "ann", "labeled_at": "2026-01-05T10:00:00", "duration_ms": 12, "ground_truth_answer": "7"},
    {"problem": "Q?", "solution_id": "x", "step_index": 0, "step": " a\r", "rating": None, "labeler": "ann",
     "labeled_at": "2026-01-05T10:00:00", "duration_ms": 12, "ground_truth_answer": "7"},
    {"problem": "Q?", "solution_id": "x", "step_index": 0, "step": " a\r", "label_source": "mc", "value": 0.1,
     "num_rollouts": 10, "num_correct": 1, "num_truncated": 0, "num_ungraded": 0, "outcome": "incorrect",
     "value_low": 0.0, "value_high": 0.4, "p_wrong_low": 0.1, "p_wrong_high": 0.3, "has_signal": True,
     "cost_tokens": 70, "estimator": "{}"},
    {"problem": "Q?", "solution_id": "x", "step_index": 1, "step": "b, \"c\"\nd", "label_source": "mc",
     "rating": 0, "outcome": "incorrect"},
]  # fmt: skip
