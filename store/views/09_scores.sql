-- Scores of reward models, and how well they tell right from wrong.

CREATE VIEW solution_scores AS
SELECT
    reward_model_id, solution_id,
    product(step_score(p_neutral, p_positive)) AS score,
    min(step_score(p_neutral, p_positive)) AS lowest,
    arg_min(step_index, step_score(p_neutral, p_positive)) AS lowest_step_index,
    avg(step_score(p_neutral, p_positive)) AS mean,
    arg_max(step_score(p_neutral, p_positive), step_index) AS last,
    count(*) AS num_scored_steps
FROM scores
GROUP BY reward_model_id, solution_id;
COMMENT ON VIEW solution_scores IS 'One row per reward model and solution it scored: the product, lowest, mean and last of its steps'' scores, where a step''s score is p_positive + p_neutral.';
COMMENT ON COLUMN solution_scores.score IS 'Product over steps: the probability that no step is wrong. An ORM speaks at the last step only.';
COMMENT ON COLUMN solution_scores.lowest_step_index IS 'Index, from 0, of the step with the lowest score.';

CREATE VIEW convincing_wrong_answers AS
SELECT
    solution_scores.reward_model_id, solutions.solution_id, solutions.problem_id,
    problems.subject, problems.level, problems.split,
    solutions.final_answer, problems.ground_truth_answer,
    solution_scores.score, solution_scores.lowest, solution_scores.lowest_step_index
FROM solution_scores
JOIN reward_models USING (reward_model_id)
JOIN solutions USING (solution_id)
JOIN problems USING (problem_id)
WHERE reward_models.kind = 'prm' AND solutions.outcome = 'incorrect';
COMMENT ON VIEW convincing_wrong_answers IS 'One row per PRM and solution with a wrong answer that it scored: order by score to see what fools it most.';

CREATE VIEW best_of_n AS
SELECT selector, n, round, value, ci95_low, ci95_high, num_problems
FROM evaluations
WHERE metric = 'best_of_n' AND slice = 'all' AND is_current;
COMMENT ON VIEW best_of_n IS 'One row per selector, N and round: share of all problems solved when it picks one of N samples, with its 95% interval.';

CREATE VIEW reward_model_comparison AS
WITH by_score AS (
    SELECT reward_model_id, problem_id, score,
        count(*) FILTER (WHERE outcome = 'correct') AS num_correct,
        count(*) FILTER (WHERE outcome = 'incorrect') AS num_incorrect
    FROM solution_scores JOIN solutions USING (solution_id)
    WHERE outcome IN ('correct', 'incorrect')
    GROUP BY reward_model_id, problem_id, score
),
ranked AS (
    SELECT reward_model_id, problem_id, num_correct, num_incorrect,
        sum(num_incorrect) OVER (PARTITION BY reward_model_id, problem_id ORDER BY score) - num_incorrect / 2
            AS mean_beaten
    FROM by_score
),
by_problem AS (
    SELECT reward_model_id, problem_id,
        sum(num_correct + num_incorrect) AS num_solutions,
        sum(num_correct) * sum(num_incorrect) AS num_pairs,
        sum(num_correct * mean_beaten) AS num_won
    FROM ranked
    GROUP BY reward_model_id, problem_id
)
SELECT
    reward_model_id, kind, base_model, label_sources, problems.split,
    count(*) AS num_problems,
    CAST(sum(num_solutions) AS BIGINT) AS num_solutions,
    CAST(sum(num_pairs) AS BIGINT) AS num_pairs,
    CASE WHEN sum(num_pairs) > 0 THEN sum(num_won) / sum(num_pairs) END AS pairs_won
FROM by_problem
JOIN reward_models USING (reward_model_id)
JOIN problems USING (problem_id)
GROUP BY ALL;
COMMENT ON VIEW reward_model_comparison IS 'One row per reward model that scored graded solutions, and split of their problems: how often it tells right from wrong. Compare models on one split and the same number of problems: a PRM may have scored what it learned from as well.';
COMMENT ON COLUMN reward_model_comparison.split IS 'Split of the problems: test, or train, where a model may have learned from them.';
COMMENT ON COLUMN reward_model_comparison.num_pairs IS 'Pairs of a correct and an incorrect solution of the same problem.';
COMMENT ON COLUMN reward_model_comparison.pairs_won IS 'Share of the pairs in which the correct one has the higher score; ties count half. 0.5 is chance.';

CREATE VIEW prm_calibration AS
SELECT
    scores.reward_model_id, hard_labels.label_source,
    CAST(least(floor(step_score(p_neutral, p_positive) * 10), 9) AS INTEGER) AS bucket,
    count(*) AS num_steps,
    avg(step_score(p_neutral, p_positive)) AS mean_score,
    avg(CAST(rating >= 0 AS INTEGER)) AS share_right
FROM scores
JOIN reward_models USING (reward_model_id)
JOIN hard_labels USING (solution_id, step_index)
WHERE reward_models.kind = 'prm' AND rating IS NOT NULL
GROUP BY ALL;
COMMENT ON VIEW prm_calibration IS 'One row per PRM, label source and tenth of the score: how often steps scored so are right (rating 0 or 1) by that source. Undecided steps are left out.';
COMMENT ON COLUMN prm_calibration.bucket IS 'Tenth of the score p_positive + p_neutral: 0 is 0 to 0.1, 9 is 0.9 to 1.';
COMMENT ON COLUMN prm_calibration.share_right IS 'Share of the steps that the label source rates 0 or 1; a calibrated PRM has mean_score here.';

CREATE VIEW score_lengths AS
SELECT
    reward_model_id, num_steps, solutions.outcome,
    count(*) AS num_solutions,
    avg(score) AS mean_score
FROM solution_scores
JOIN solutions USING (solution_id)
JOIN solution_lengths USING (solution_id)
GROUP BY ALL;
COMMENT ON VIEW score_lengths IS 'One row per reward model, number of steps and outcome: the mean score, to see whether long solutions score lower.';
