-- Rules that views and queries share, each in one place: scalar macros, which hold no rows.

-- The rating that a label of any kind stands for: -1, 0, 1, or NULL where it is undecided.
CREATE MACRO hard_rating(
    rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
) AS
    CAST(CASE
        WHEN rating IS NOT NULL THEN rating
        WHEN p_wrong_low >= 0.5 THEN -1
        WHEN p_wrong_high < 0.5 THEN 1
        WHEN p_wrong_low IS NOT NULL THEN NULL
        WHEN num_correct > 0 THEN 1
        WHEN num_rollouts > 0 AND coalesce(num_truncated, 0) + coalesce(num_ungraded, 0) = 0 THEN -1
        WHEN num_rollouts IS NOT NULL THEN NULL
        WHEN value > 0.5 THEN 1
        WHEN value < 0.5 THEN -1
    END AS INTEGER);

-- An aggregate over the rated steps of a solution, for first_error.
CREATE MACRO decided_steps(step_index, rating) AS struct_pack(
    first_negative := min(step_index) FILTER (WHERE rating = -1),
    last := max(step_index) FILTER (WHERE rating IS NOT NULL),
    indexes := list(step_index) FILTER (WHERE rating IS NOT NULL)
);

-- -1 where every step is decided and none wrong; NULL where a step comes before that is not decided.
CREATE MACRO first_error(decided, num_steps) AS
    CAST(CASE
        WHEN decided['first_negative'] IS NULL THEN CASE WHEN len(decided['indexes']) = num_steps THEN -1 END
        -- No gap: of m decided steps the last is step m - 1. Sorting lists takes longer than all the rest.
        WHEN decided['first_negative'] = 0 OR decided['last'] = len(decided['indexes']) - 1
            THEN decided['first_negative']
        WHEN list_sort(decided['indexes'])[decided['first_negative']] = decided['first_negative'] - 1
            THEN decided['first_negative']
    END AS INTEGER);

-- Neutral is no error.
CREATE MACRO step_score(p_neutral, p_positive) AS p_positive + p_neutral;

-- A truncated sample, and one not graded in time, is neither right nor wrong.
CREATE MACRO is_decided(outcome) AS outcome IN ('correct', 'incorrect', 'no_answer');
