-- Steps: how many a solution has, and the prefixes they end.

CREATE VIEW solution_lengths AS
SELECT solution_id, max(step_index) + 1 AS num_steps FROM steps GROUP BY solution_id;
COMMENT ON VIEW solution_lengths IS 'One row per solution with steps: how many it has; of an alternative also those before it, which are not stored with it.';
COMMENT ON COLUMN solution_lengths.num_steps IS 'Steps of the whole text.';

CREATE VIEW step_prefixes AS
SELECT
    solution_id, step_index,
    'x' || left(sha256(concat(
        '6:prefix', strlen(problem_id), ':', problem_id,
        strlen(left(solution, char_end)), ':', left(solution, char_end)
    )), 20) AS prefix_id
FROM steps JOIN solutions USING (solution_id);
COMMENT ON VIEW step_prefixes IS 'One row per step: the prefix that ends in it, under which its rollouts stand.';
COMMENT ON COLUMN step_prefixes.prefix_id IS 'Hash of the problem and of the solution up to the step''s end.';
