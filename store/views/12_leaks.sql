-- Leaks: problems trained on and evaluated on.

CREATE VIEW leaks AS
WITH examples AS (
    SELECT DISTINCT problem_id, 'orm_examples' AS table_name FROM orm_examples JOIN solutions USING (solution_id)
    WHERE problem_id IN (SELECT trained_problem_id FROM problem_overlaps)
    UNION ALL
    SELECT DISTINCT problem_id, 'prm_examples' FROM prm_examples JOIN solutions USING (solution_id)
    WHERE problem_id IN (SELECT trained_problem_id FROM problem_overlaps)
),
learned AS (
    SELECT problem_id, list_sort(list(table_name)) AS trained_in FROM examples GROUP BY problem_id
),
asked AS (
    SELECT problem_id, split, list_sort(list(asked_by)) AS asked_by FROM problem_roles GROUP BY problem_id, split
)
SELECT
    trained_problem_id, evaluated_problem_id, kind, share, excerpt,
    coalesce(trained_in, []) AS trained_in,
    train.asked_by AS train_asked_by, test.asked_by AS test_asked_by,
    decided_at IS NOT NULL AS is_allowed, decided_by, decided_through, decided_at
FROM problem_overlaps
LEFT JOIN learned ON learned.problem_id = trained_problem_id
LEFT JOIN asked AS train ON train.problem_id = trained_problem_id AND train.split = 'train'
LEFT JOIN asked AS test ON test.problem_id = evaluated_problem_id AND test.split = 'test'
LEFT JOIN (
    SELECT trained_problem_id, evaluated_problem_id, decided_by, decided_through, decided_at FROM leak_decisions
) AS decided USING (trained_problem_id, evaluated_problem_id)
WHERE trained_in IS NOT NULL OR kind = 'exact';
COMMENT ON VIEW leaks IS 'One row per pair of problems that overlap and of which the one is trained on and the other evaluated on, or that are one problem asked for in both splits. Overlaps nothing is trained on are in problem_overlaps alone.';
COMMENT ON COLUMN leaks.trained_in IS 'The tables of examples the one is in; empty where its split kept it out of both.';
COMMENT ON COLUMN leaks.train_asked_by IS 'Files that asked for the one as a training problem; NULL where none is known.';
COMMENT ON COLUMN leaks.test_asked_by IS 'Files that asked for the other as a test problem; NULL where none is known.';
COMMENT ON COLUMN leaks.is_allowed IS 'True where leak_decisions has the pair: training goes on in spite of it.';
