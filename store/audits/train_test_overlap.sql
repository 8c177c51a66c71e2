-- No problem is trained on and tested on: examples follow the split of their problem, and all examples of
-- one problem, of the ORM and the PRM, are on one side of train, validation and test.
-- severity: error
WITH examples AS (
    SELECT 'orm_examples' AS table_name, solution_id, split FROM orm_examples
    UNION
    SELECT 'prm_examples', solution_id, split FROM prm_examples
),
placed AS (
    SELECT
        solutions.problem_id,
        any_value(problems.split) AS problem_split,
        list_sort(list(DISTINCT examples.split)) AS example_splits,
        list_sort(list(DISTINCT examples.table_name)) AS table_names
    FROM examples
    JOIN solutions USING (solution_id)
    JOIN problems USING (problem_id)
    GROUP BY solutions.problem_id
)
SELECT problem_id, problem_split, example_splits, table_names
FROM placed
WHERE len(example_splits) > 1
    OR (problem_split = 'test') <> list_contains(example_splits, 'test')
ORDER BY problem_id
