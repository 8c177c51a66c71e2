-- Every row that speaks of another row finds it: no step without its solution, no label without its step.
-- severity: error
SELECT 'solutions' AS table_name, 'problems' AS missing_in, solution_id AS row_key, problem_id AS missing_key
FROM solutions
WHERE NOT EXISTS (SELECT 1 FROM problems WHERE problems.problem_id = solutions.problem_id)
UNION ALL
SELECT 'steps', 'solutions', concat(solution_id, ', step ', step_index), solution_id
FROM steps
WHERE NOT EXISTS (SELECT 1 FROM solutions WHERE solutions.solution_id = steps.solution_id)
UNION ALL
SELECT 'human_labels', 'solutions', concat(solution_id, ', step ', step_index, ', ', labeler), solution_id
FROM human_labels
WHERE NOT EXISTS (SELECT 1 FROM solutions WHERE solutions.solution_id = human_labels.solution_id)
UNION ALL
SELECT 'step_labels', 'steps', concat(solution_id, ', step ', step_index, ', ', label_source), concat(solution_id, ', step ', step_index)
FROM step_labels
WHERE NOT EXISTS (
    SELECT 1 FROM steps
    WHERE steps.solution_id = step_labels.solution_id AND steps.step_index = step_labels.step_index
)
UNION ALL
SELECT 'orm_examples', 'solutions', solution_id, solution_id
FROM orm_examples
WHERE NOT EXISTS (SELECT 1 FROM solutions WHERE solutions.solution_id = orm_examples.solution_id)
UNION ALL
SELECT 'prm_examples', 'step_labels', concat(solution_id, ', step ', step_index, ', ', label_source), concat(solution_id, ', step ', step_index, ', ', label_source)
FROM prm_examples
WHERE NOT EXISTS (
    SELECT 1 FROM step_labels
    WHERE step_labels.solution_id = prm_examples.solution_id
        AND step_labels.step_index = prm_examples.step_index
        AND step_labels.label_source = prm_examples.label_source
)
UNION ALL
SELECT 'scores', 'steps', concat(reward_model_id, ', ', solution_id, ', step ', step_index), concat(solution_id, ', step ', step_index)
FROM scores
WHERE NOT EXISTS (
    SELECT 1 FROM steps
    WHERE steps.solution_id = scores.solution_id AND steps.step_index = scores.step_index
)
UNION ALL
SELECT DISTINCT 'scores', 'reward_models', reward_model_id, reward_model_id
FROM scores
WHERE NOT EXISTS (SELECT 1 FROM reward_models WHERE reward_models.reward_model_id = scores.reward_model_id)
UNION ALL
SELECT 'grader_audits', 'answer_verdicts', concat(ground_truth_answer, ', ', final_answer), concat(verdict, ' by grader ', grader_version)
FROM grader_audits
WHERE NOT EXISTS (
    SELECT 1 FROM answer_verdicts
    WHERE answer_verdicts.ground_truth_answer = grader_audits.ground_truth_answer
        AND answer_verdicts.final_answer = grader_audits.final_answer
        AND answer_verdicts.grader_version = grader_audits.grader_version
        AND answer_verdicts.verdict = grader_audits.verdict
)
UNION ALL
SELECT 'labeling_queue', 'solutions', concat('round ', round, ', ', solution_id), solution_id
FROM labeling_queue
WHERE NOT EXISTS (SELECT 1 FROM solutions WHERE solutions.solution_id = labeling_queue.solution_id)
UNION ALL
SELECT 'problem_roles', 'problems', concat(problem_id, ', ', asked_by), problem_id
FROM problem_roles
WHERE NOT EXISTS (SELECT 1 FROM problems WHERE problems.problem_id = problem_roles.problem_id)
ORDER BY ALL
