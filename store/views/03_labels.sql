-- Labels of steps under one policy or another.

CREATE VIEW step_labels_with_hard_rating AS
SELECT *, hard_rating(
    rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
) AS hard_rating
FROM step_labels;
COMMENT ON VIEW step_labels_with_hard_rating IS 'One row per step label: its columns, and the rating that hard_labels has.';
COMMENT ON COLUMN step_labels_with_hard_rating.hard_rating IS '-1, 0 or 1; NULL where rollouts that were cut off could still turn it, or nothing is known.';

CREATE VIEW hard_labels AS
SELECT solution_id, step_index, label_source, hard_rating AS rating
FROM step_labels_with_hard_rating;
COMMENT ON VIEW hard_labels IS 'One row per step and label source: the rating given; else the likelier side where a probability of being wrong is given; else 1 where any rollout ended right, -1 where all ended and none right; else the side of 0.5 the value is on. NULL is undecided.';
COMMENT ON COLUMN hard_labels.rating IS '-1, 0 or 1; NULL where rollouts that were cut off could still turn it, or nothing is known.';

CREATE VIEW soft_labels AS
WITH estimated AS (
    SELECT solution_id, step_index, label_source, rating, coalesce(
        value,
        CASE WHEN num_rollouts > coalesce(num_truncated, 0) + coalesce(num_ungraded, 0)
            THEN num_correct / (num_rollouts - coalesce(num_truncated, 0) - coalesce(num_ungraded, 0)) END
    ) AS estimate
    FROM step_labels
)
SELECT
    solution_id, step_index, label_source,
    coalesce(estimate, CASE rating WHEN 1 THEN 1.0 WHEN -1 THEN 0.0 END) AS value,
    coalesce(1 - estimate, CAST(rating = -1 AS DOUBLE)) AS target_negative,
    CASE WHEN estimate IS NULL THEN CAST(rating = 0 AS DOUBLE) ELSE 0.0 END AS target_neutral,
    coalesce(estimate, CAST(rating = 1 AS DOUBLE)) AS target_positive
FROM estimated;
COMMENT ON VIEW soft_labels IS 'One row per step and label source: the value, and the target distribution over negative, neutral and positive that it or the rating stands for. NULL is unknown.';
COMMENT ON COLUMN soft_labels.value IS 'The value given; else correct over decided rollouts; else 1 or 0 for a rating. NULL for a neutral rating.';

CREATE MACRO thresholded_labels(threshold) AS TABLE
SELECT solution_id, step_index, label_source,
    CAST(CASE WHEN value >= threshold THEN 1 WHEN value < threshold THEN -1 END AS INTEGER) AS rating
FROM soft_labels;
COMMENT ON MACRO TABLE thresholded_labels IS 'One row per step and label source: 1 where the soft value is at least the threshold, -1 where it is below, NULL where it is unknown.';

CREATE MACRO confident_labels(confidence) AS TABLE
SELECT solution_id, step_index, label_source,
    CAST(CASE
        WHEN p_wrong_low IS NULL THEN hard_rating
        WHEN p_wrong_low >= confidence THEN -1
        WHEN p_wrong_high <= 1 - confidence THEN 1
    END AS INTEGER) AS rating
FROM step_labels_with_hard_rating;
COMMENT ON MACRO TABLE confident_labels IS 'One row per step and label source: the rating where it holds with at least the confidence, NULL (undecided) where it does not; sources that give no probability keep their hard label.';

CREATE VIEW labels_neutral_positive AS
SELECT solution_id, step_index, label_source, CASE rating WHEN 0 THEN 1 ELSE rating END AS rating
FROM hard_labels;
COMMENT ON VIEW labels_neutral_positive IS 'One row per step and label source: hard labels in which neutral counts as positive.';

CREATE VIEW labels_neutral_negative AS
SELECT solution_id, step_index, label_source, CASE rating WHEN 0 THEN -1 ELSE rating END AS rating
FROM hard_labels;
COMMENT ON VIEW labels_neutral_negative IS 'One row per step and label source: hard labels in which neutral counts as negative.';

CREATE VIEW labels_neutral_dropped AS
SELECT solution_id, step_index, label_source, rating
FROM hard_labels
WHERE rating IS DISTINCT FROM 0;
COMMENT ON VIEW labels_neutral_dropped IS 'One row per step and label source that is not neutral.';

CREATE VIEW step_labels_until_first_error AS
WITH cut AS (
    SELECT solution_id, label_source, min(CASE
        WHEN hard_rating = -1 THEN step_index
        -- A probability of being wrong is about the step or one before it: past an open step it says nothing of its own.
        WHEN hard_rating IS NULL AND p_wrong_low IS NOT NULL THEN step_index - 1
    END) AS last_index
    FROM step_labels_with_hard_rating
    GROUP BY solution_id, label_source
    HAVING last_index IS NOT NULL
)
SELECT labels.* EXCLUDE (hard_rating) REPLACE (hard_rating AS rating)
FROM step_labels_with_hard_rating AS labels LEFT JOIN cut USING (solution_id, label_source)
WHERE last_index IS NULL OR step_index <= last_index;
COMMENT ON VIEW step_labels_until_first_error IS 'One row per step and label source, up to and with the first step labeled wrong; what comes after a wrong step is dropped, and what comes after an undecided one where the label is a probability of being wrong. The rating is the hard label.';

CREATE VIEW label_counts AS
SELECT
    labels.label_source,
    count(DISTINCT labels.solution_id) FILTER (WHERE solutions.source IS DISTINCT FROM 'alternative')
        AS num_solutions,
    count(*) FILTER (WHERE solutions.source = 'alternative') AS num_alternatives,
    count(*) AS num_steps,
    count(*) FILTER (WHERE hard_rating = 1) AS num_positive,
    count(*) FILTER (WHERE hard_rating = 0) AS num_neutral,
    count(*) FILTER (WHERE hard_rating = -1) AS num_negative,
    count(*) FILTER (WHERE hard_rating IS NULL) AS num_undecided,
    CAST(sum(labels.num_rollouts) AS BIGINT) AS num_rollouts,
    CAST(sum(labels.num_truncated) AS BIGINT) AS num_truncated,
    CAST(sum(labels.num_ungraded) AS BIGINT) AS num_ungraded,
    CAST(sum(labels.cost_tokens) AS BIGINT) AS cost_tokens
FROM step_labels_with_hard_rating AS labels
LEFT JOIN solutions ON solutions.solution_id = labels.solution_id
GROUP BY labels.label_source;
COMMENT ON VIEW label_counts IS 'One row per label source: how many solutions and steps it labeled, with which hard labels, at what cost; rollouts of a shared prefix count once for each of its labels, and a solution as the one rollout of its last step.';
COMMENT ON COLUMN label_counts.num_solutions IS 'Whole solutions; alternatives to one of their steps are none.';
COMMENT ON COLUMN label_counts.num_alternatives IS 'Labeled steps that are alternatives to the one that was taken; among num_steps.';

CREATE VIEW labels_by_round AS
SELECT
    labels.label_source, solutions.round,
    count(DISTINCT labels.solution_id) AS num_solutions,
    count(*) AS num_steps,
    count(*) FILTER (WHERE hard_rating = 1) AS num_positive,
    count(*) FILTER (WHERE hard_rating = 0) AS num_neutral,
    count(*) FILTER (WHERE hard_rating = -1) AS num_negative,
    count(*) FILTER (WHERE hard_rating IS NULL) AS num_undecided
FROM step_labels_with_hard_rating AS labels
JOIN solutions USING (solution_id)
GROUP BY labels.label_source, solutions.round;
COMMENT ON VIEW labels_by_round IS 'One row per label source and round of the labeled solutions: how many they are, and their hard labels.';
COMMENT ON COLUMN labels_by_round.round IS 'Round the solutions were sampled in, from 0; NULL where they were imported.';

CREATE VIEW label_changes AS
SELECT
    one.label_source, other.label_source AS other_label_source,
    one.rating, other.rating AS other_rating,
    count(*) AS num_steps
FROM hard_labels AS one
JOIN hard_labels AS other
    ON one.solution_id = other.solution_id AND one.step_index = other.step_index
    AND one.label_source < other.label_source
-- Of two label sources, say, only one's labels can be on either side.
WHERE one.label_source < (SELECT max(label_source) FROM step_labels)
    AND other.label_source > (SELECT min(label_source) FROM step_labels)
GROUP BY ALL;
COMMENT ON VIEW label_changes IS 'One row per pair of label sources and pair of their hard labels: how many steps have the one from the one source and the other from the other.';
COMMENT ON COLUMN label_changes.rating IS 'Hard label of label_source: -1, 0, 1; NULL is undecided.';
COMMENT ON COLUMN label_changes.other_rating IS 'Hard label of other_label_source: -1, 0, 1; NULL is undecided.';

CREATE VIEW label_rollouts AS
SELECT
    step_labels.solution_id, step_labels.step_index, step_labels.label_source,
    rollouts.prefix_id, rollouts.completer_id, rollouts.rollout_index,
    rollouts.completion, rollouts.final_answer, rollouts.outcome, rollouts.num_tokens
FROM step_labels
JOIN step_prefixes USING (solution_id, step_index)
JOIN rollouts USING (prefix_id, completer_id)
-- The join implies it; spelled out, DuckDB takes the labels for fewer than the rollouts, and hashes them instead.
WHERE step_labels.completer_id IS NOT NULL;
COMMENT ON VIEW label_rollouts IS 'One row per step label and sampled rollout it rests on; a solution''s last step has none, its one rollout is the solution. Ask for one solution: WHERE solution_id = ...';

CREATE VIEW unlabeled_solutions AS
SELECT
    solution_id, problem_id, problems.split, problems.subject, problems.level,
    solutions.round, solutions.generator_id, solutions.outcome
FROM solutions
JOIN problems USING (problem_id)
LEFT JOIN (SELECT DISTINCT solution_id AS labeled_solution_id FROM step_labels) ON labeled_solution_id = solution_id
WHERE solutions.source <> 'alternative' AND labeled_solution_id IS NULL;
COMMENT ON VIEW unlabeled_solutions IS 'One row per solution of which no step has a label from any source.';
