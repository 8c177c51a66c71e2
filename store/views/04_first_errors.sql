-- First errors: the first wrong step of a solution, by whoever labeled it.

CREATE VIEW first_errors AS
SELECT solution_id, label_source, first_error(decided, num_steps) AS first_error_index,
    num_steps, coalesce(len(decided['indexes']), 0) AS num_decided_steps
FROM (
    SELECT solution_id, label_source, decided_steps(step_index, rating) AS decided
    FROM hard_labels GROUP BY solution_id, label_source
)
JOIN solution_lengths USING (solution_id);
COMMENT ON VIEW first_errors IS 'One row per solution and label source: the first step labeled wrong.';
COMMENT ON COLUMN first_errors.first_error_index IS 'Its index from 0; -1 where no step is wrong; NULL where a step without a decided label comes before.';

CREATE VIEW labeler_ratings AS
SELECT solution_id, labeler, step_index,
    first(rating ORDER BY coalesce(chosen, false) DESC, alternative_index) AS rating
FROM human_labels JOIN steps USING (solution_id, step_index)
WHERE regexp_replace(completion, '^\s+|\s+$', '', 'g') = step
    AND NOT coalesce(is_quality_control, false) AND NOT coalesce(is_screening, false)
GROUP BY solution_id, labeler, step_index;
COMMENT ON VIEW labeler_ratings IS 'One row per step of a solution and labeler who was shown it: their rating. Alternatives to a step do not count, nor do quality-control and screening questions.';
COMMENT ON COLUMN labeler_ratings.solution_id IS 'The solution that was rated.';
COMMENT ON COLUMN labeler_ratings.labeler IS 'Who rated it.';
COMMENT ON COLUMN labeler_ratings.step_index IS 'The step, from 0.';
COMMENT ON COLUMN labeler_ratings.rating IS '-1, 0 or 1, NULL where none was given; of completions with the text of the step the chosen one''s counts, then the first one''s.';

CREATE VIEW labeler_first_errors AS
SELECT solution_id, labeler, first_error(decided, num_steps) AS first_error_index
FROM (
    SELECT solution_id, labeler, decided_steps(step_index, rating) AS decided
    FROM labeler_ratings GROUP BY solution_id, labeler
)
JOIN solution_lengths USING (solution_id);
COMMENT ON VIEW labeler_first_errors IS 'One row per solution and labeler who rated any of its own steps: the first one rated wrong. Alternatives to a step do not count, nor do quality-control and screening questions.';
COMMENT ON COLUMN labeler_first_errors.solution_id IS 'The solution that was rated.';
COMMENT ON COLUMN labeler_first_errors.labeler IS 'Who rated it.';
COMMENT ON COLUMN labeler_first_errors.first_error_index IS 'Its index from 0; -1 where every step is rated and none wrong; NULL where a step without a rating comes before.';

CREATE MACRO teacher_first_errors(threshold) AS TABLE
WITH read AS (
    SELECT reward_model_id, solution_id,
        count(*) AS num_scored,
        min(step_index) FILTER (WHERE step_score(p_neutral, p_positive) < threshold) AS first_low
    FROM scores
    WHERE reward_model_id IN (SELECT reward_model_id FROM reward_models WHERE kind = 'prm')
    GROUP BY reward_model_id, solution_id
)
SELECT solution_id, reward_model_id, CAST(coalesce(first_low, -1) AS INTEGER) AS first_error_index
FROM read JOIN solution_lengths USING (solution_id)
WHERE num_scored = num_steps;
COMMENT ON MACRO TABLE teacher_first_errors IS 'One row per solution and PRM that scored its every step: the first step with p_positive + p_neutral below the threshold, -1 where none is.';

CREATE VIEW first_errors_by_subject AS
SELECT
    subject, level, label_source,
    count(*) AS num_solutions,
    count(*) FILTER (WHERE first_error_index >= 0) AS num_with_error,
    count(*) FILTER (WHERE first_error_index = -1) AS num_without_error,
    count(*) FILTER (WHERE first_error_index IS NULL) AS num_undecided,
    avg(first_error_index) FILTER (WHERE first_error_index >= 0) AS mean_first_error_index,
    avg(first_error_index / num_steps) FILTER (WHERE first_error_index >= 0) AS mean_place
FROM first_errors
JOIN solutions USING (solution_id)
JOIN problems USING (problem_id)
WHERE solutions.source <> 'alternative'
GROUP BY subject, level, label_source;
COMMENT ON VIEW first_errors_by_subject IS 'One row per subject, level and label source: in how many labeled solutions the source finds an error, and where. Alternatives to a step are no solutions and are left out.';
COMMENT ON COLUMN first_errors_by_subject.num_undecided IS 'Solutions in which a step without a decided label comes before any wrong one.';
COMMENT ON COLUMN first_errors_by_subject.mean_first_error_index IS 'Mean index, from 0, of the first wrong step, over solutions that have one.';
COMMENT ON COLUMN first_errors_by_subject.mean_place IS 'Mean of that index divided by the number of steps: 0 is the very start.';

CREATE VIEW source_agreement AS
WITH found AS MATERIALIZED (SELECT solution_id, label_source, first_error_index FROM first_errors)
SELECT
    one.label_source, other.label_source AS other_label_source,
    count(*) AS num_solutions,
    count(*) FILTER (WHERE one.first_error_index = other.first_error_index) AS num_agreeing,
    count(*) FILTER (WHERE one.first_error_index <> other.first_error_index) AS num_disagreeing,
    count(*) FILTER (WHERE one.first_error_index IS NULL OR other.first_error_index IS NULL) AS num_undecided,
    CASE WHEN num_agreeing + num_disagreeing > 0
        THEN num_agreeing / (num_agreeing + num_disagreeing) END AS agreement
FROM found AS one
JOIN found AS other ON one.solution_id = other.solution_id AND one.label_source < other.label_source
GROUP BY one.label_source, other.label_source;
COMMENT ON VIEW source_agreement IS 'One row per pair of label sources that labeled the same solutions: on how many they agree where the first error lies.';
COMMENT ON COLUMN source_agreement.num_undecided IS 'Solutions on whose first error at least one of the two is undecided; they are in no share.';
COMMENT ON COLUMN source_agreement.agreement IS 'num_agreeing over agreeing and disagreeing ones; NULL where both are never decided.';
