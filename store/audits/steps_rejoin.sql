-- The steps of a solution, put together, are the solution: no character is lost, doubled or moved.
-- An alternative has its last step alone, which ends where its text does.
-- severity: error
WITH joined AS (
    SELECT
        solutions.solution_id,
        any_value(solutions.source) = 'alternative' AS is_alternative,
        any_value(solutions.solution) AS solution,
        string_agg(
            substring(solutions.solution, steps.char_start + 1, steps.char_end - steps.char_start), ''
            ORDER BY steps.step_index
        ) AS rejoined,
        min(steps.step_index) AS first_index,
        max(steps.step_index) + 1 AS end_index,
        count(*) AS num_steps,
        sum(CAST(steps.char_end - steps.char_start AS BIGINT)) AS num_chars,
        max(steps.char_end) AS last_char,
        bool_and(contains(
            substring(solutions.solution, steps.char_start + 1, steps.char_end - steps.char_start), steps.step
        )) AS has_own_text
    FROM solutions
    JOIN steps USING (solution_id)
    GROUP BY solutions.solution_id
)
SELECT solution_id, num_steps, solution, rejoined
FROM joined
WHERE CASE WHEN is_alternative THEN num_steps <> 1 OR NOT ends_with(solution, rejoined)
    ELSE rejoined <> solution OR first_index <> 0 OR end_index <> num_steps OR num_chars <> length(solution) END
    OR last_char <> length(solution)
    OR NOT has_own_text
ORDER BY solution_id
