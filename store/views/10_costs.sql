-- Costs in sampled tokens.

CREATE VIEW label_costs AS
SELECT
    label_source,
    count(*) AS num_labels,
    count(DISTINCT solution_id) AS num_solutions,
    CAST(sum(num_rollouts) AS BIGINT) AS num_rollouts,
    CAST(sum(cost_tokens) AS BIGINT) AS cost_tokens,
    sum(cost_tokens) / count(cost_tokens) AS tokens_per_label,
    sum(cost_tokens) / count(DISTINCT solution_id) FILTER (WHERE cost_tokens IS NOT NULL) AS tokens_per_solution
FROM step_labels
GROUP BY label_source;
COMMENT ON VIEW label_costs IS 'One row per label source: the tokens its labels cost, in all, per label and per solution; NULL where nothing was sampled for them.';
COMMENT ON COLUMN label_costs.num_rollouts IS 'Rollouts the labels rest on; rollouts of a shared prefix count once for each of its labels, and a solution as the one rollout of its last step, at no cost.';
COMMENT ON COLUMN label_costs.cost_tokens IS 'Tokens of the rollouts the labels rest on; those of a shared prefix count once for each of its labels. What was sampled is in tokens_by_round.';

CREATE VIEW tokens_by_round AS
WITH completers AS (
    SELECT completer_id, CASE WHEN min(round) = max(round) THEN min(round) END AS round
    FROM step_labels JOIN solutions USING (solution_id)
    WHERE completer_id IS NOT NULL GROUP BY completer_id
),
spent AS (
    SELECT round, count(*) AS num_solutions, sum(num_tokens) AS solution_tokens, NULL AS num_labels,
        NULL AS num_rollouts, NULL AS rollout_tokens
    FROM solutions WHERE source = 'sampled' GROUP BY round
    UNION ALL
    SELECT round, NULL, NULL, count(*), NULL, NULL
    FROM step_labels JOIN solutions USING (solution_id)
    WHERE solutions.source = 'sampled' AND cost_tokens IS NOT NULL GROUP BY round
    UNION ALL
    -- What labels say they cost would count the rollouts that they share once for each of them.
    SELECT round, NULL, NULL, NULL, count(*), sum(num_tokens)
    FROM rollouts LEFT JOIN completers USING (completer_id) GROUP BY round
)
SELECT
    round,
    CAST(sum(num_solutions) AS BIGINT) AS num_solutions,
    CAST(sum(solution_tokens) AS BIGINT) AS solution_tokens,
    CAST(sum(num_labels) AS BIGINT) AS num_labels,
    CAST(sum(num_rollouts) AS BIGINT) AS num_rollouts,
    CAST(sum(rollout_tokens) AS BIGINT) AS rollout_tokens
FROM spent
GROUP BY round;
COMMENT ON VIEW tokens_by_round IS 'One row per round: tokens sampled for its solutions, and for the rollouts behind the labels of their steps; each sample counts once.';
COMMENT ON COLUMN tokens_by_round.round IS 'Round of the solutions; of rollouts the one round whose steps their completer labeled, NULL where there are several or none.';
COMMENT ON COLUMN tokens_by_round.num_labels IS 'Labels of the round''s steps that rollouts were sampled for.';
COMMENT ON COLUMN tokens_by_round.rollout_tokens IS 'Tokens of the rollouts, each once, however many labels share it.';

CREATE VIEW problem_costs AS
WITH spent AS (
    SELECT problem_id, num_tokens AS solution_tokens, NULL AS label_tokens FROM solutions WHERE source = 'sampled'
    UNION ALL
    SELECT problem_id, NULL, sum(cost_tokens)
    FROM step_labels JOIN solutions USING (solution_id) GROUP BY problem_id
)
SELECT
    problem_id, problems.source, problems.subject, problems.level,
    CAST(coalesce(sum(solution_tokens), 0) AS BIGINT) AS solution_tokens,
    CAST(coalesce(sum(label_tokens), 0) AS BIGINT) AS label_tokens,
    CAST(coalesce(sum(spent.solution_tokens), 0) + coalesce(sum(spent.label_tokens), 0) AS BIGINT) AS num_tokens
FROM spent
JOIN problems USING (problem_id)
GROUP BY ALL;
COMMENT ON VIEW problem_costs IS 'One row per problem with sampled solutions or labels: tokens sampled for either; rollouts of a shared prefix count once for each of its labels.';
