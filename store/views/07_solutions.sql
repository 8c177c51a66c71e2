-- Solutions: how often they are right, cut off, or the same.

CREATE VIEW pass_rates AS
SELECT
    problem_id, generator_id,
    count(*) AS num_solutions,
    count(*) FILTER (WHERE outcome = 'correct') AS num_correct,
    count(*) FILTER (WHERE is_decided(outcome)) AS num_decided,
    count(*) FILTER (WHERE outcome = 'truncated') AS num_truncated,
    count(*) FILTER (WHERE outcome = 'grader_timeout') AS num_grader_timeout,
    count(*) FILTER (WHERE outcome IS NULL) AS num_ungraded,
    CASE WHEN num_decided > 0 THEN num_correct / num_decided END AS pass_rate
FROM solutions
WHERE source = 'sampled'
GROUP BY problem_id, generator_id;
COMMENT ON VIEW pass_rates IS 'One row per problem and generator, over sampled solutions: correct over decided ones.';
COMMENT ON COLUMN pass_rates.pass_rate IS 'num_correct / num_decided; truncated and timed out solutions are counted beside it, never as wrong. NULL where none is decided.';

CREATE VIEW pass_rates_by_subject AS
SELECT
    problems.source, json_extract_string(problems.generator, '$.family') AS family,
    problems.subject, problems.level, pass_rates.generator_id,
    count(*) AS num_problems,
    CAST(sum(num_solutions) AS BIGINT) AS num_solutions,
    CAST(sum(pass_rates.num_correct) AS BIGINT) AS num_correct,
    CAST(sum(num_decided) AS BIGINT) AS num_decided,
    CASE WHEN sum(num_decided) > 0 THEN sum(pass_rates.num_correct) / sum(num_decided) END AS pass_rate,
    count(*) FILTER (WHERE pass_rates.num_correct > 0) AS num_solved
FROM pass_rates
JOIN problems USING (problem_id)
GROUP BY ALL;
COMMENT ON VIEW pass_rates_by_subject IS 'One row per source, family, subject, level and generator: correct over decided solutions, and problems solved at least once.';
COMMENT ON COLUMN pass_rates_by_subject.family IS 'Family of a generated problem; NULL where it was read from a file.';
COMMENT ON COLUMN pass_rates_by_subject.num_solved IS 'Problems of which at least one solution is correct.';

CREATE VIEW problems_without_signal AS
SELECT
    problem_id, generator_id, problems.subject, problems.level, num_decided, num_correct,
    CASE WHEN num_decided = 0 THEN 'none decided' WHEN num_correct = 0 THEN 'none correct' ELSE 'all correct' END
        AS reason
FROM pass_rates
JOIN problems USING (problem_id)
WHERE num_decided = 0 OR num_correct IN (0, num_decided);
COMMENT ON VIEW problems_without_signal IS 'One row per problem and generator whose decided solutions are all correct, or none is: outcomes tell nothing apart there.';
COMMENT ON COLUMN problems_without_signal.reason IS 'none decided, none correct, or all correct.';

CREATE VIEW sampler_outcomes AS
WITH sampled AS (
    SELECT generator_id AS sampler_id, 'solutions' AS kind, outcome, count(*) AS num, sum(num_tokens) AS num_tokens
    FROM solutions WHERE source = 'sampled' GROUP BY ALL
    UNION ALL
    SELECT completer_id, 'rollouts', outcome, count(*), sum(num_tokens) FROM rollouts GROUP BY ALL
)
SELECT
    sampler_id, any_value(samplers.model) AS model, kind,
    CAST(sum(num) AS BIGINT) AS num_samples,
    CAST(coalesce(sum(num) FILTER (WHERE outcome = 'correct'), 0) AS BIGINT) AS num_correct,
    CAST(coalesce(sum(num) FILTER (WHERE outcome = 'truncated'), 0) AS BIGINT) AS num_truncated,
    CAST(coalesce(sum(num) FILTER (WHERE outcome = 'grader_timeout'), 0) AS BIGINT) AS num_grader_timeout,
    CAST(coalesce(sum(num) FILTER (WHERE outcome = 'no_answer'), 0) AS BIGINT) AS num_no_answer,
    CAST(coalesce(sum(num) FILTER (WHERE outcome IS NULL), 0) AS BIGINT) AS num_ungraded,
    num_truncated / num_samples AS truncated_rate,
    num_grader_timeout / num_samples AS grader_timeout_rate,
    CAST(sum(sampled.num_tokens) AS BIGINT) AS num_tokens
FROM sampled
LEFT JOIN samplers USING (sampler_id)
GROUP BY sampler_id, kind;
COMMENT ON VIEW sampler_outcomes IS 'One row per sampler and kind of sample, solutions or rollouts: how many were cut off, not judged in time, or gave no answer.';

CREATE VIEW duplicate_solutions AS
SELECT
    problem_id, generator_id, solution,
    count(*) AS num_copies,
    min(solution_id) AS solution_id,
    any_value(outcome) AS outcome
FROM solutions
WHERE source = 'sampled'
GROUP BY problem_id, generator_id, solution
HAVING count(*) > 1;
COMMENT ON VIEW duplicate_solutions IS 'One row per text that a generator wrote more than once for the same problem.';
COMMENT ON COLUMN duplicate_solutions.solution_id IS 'The first of the copies by id.';
