-- Grading: verdicts known already, and a second grader beside the first.

CREATE VIEW grader_agreement AS
SELECT
    grader_version, auditor, verdict, auditor_verdict,
    count(*) AS num_pairs,
    count(*) FILTER (WHERE is_agreeing) AS num_agreeing,
    count(*) FILTER (WHERE NOT is_agreeing) AS num_disagreeing,
    count(*) FILTER (WHERE is_agreeing IS NULL) AS num_timeout
FROM grader_audits
GROUP BY ALL;
COMMENT ON VIEW grader_agreement IS 'One row per version of the grader, auditor, and pair of their verdicts: on how many pairs of answers they agree.';
COMMENT ON COLUMN grader_agreement.num_agreeing IS 'Pairs that both call equal, or neither: why an answer is not right is no disagreement.';

CREATE VIEW verdict_cache AS
WITH graded AS (
    SELECT grader_version, count(*) AS num FROM solutions
    WHERE final_answer IS NOT NULL AND outcome IN ('correct', 'incorrect') GROUP BY ALL
    UNION ALL
    SELECT grader_version, count(*) FROM rollouts
    WHERE final_answer IS NOT NULL AND outcome IN ('correct', 'incorrect') GROUP BY ALL
),
answers AS (
    SELECT grader_version, CAST(sum(num) AS BIGINT) AS num_graded FROM graded
    WHERE grader_version IS NOT NULL GROUP BY grader_version
),
judged AS (
    SELECT grader_version, count(*) AS num_judged FROM answer_verdicts
    WHERE verdict <> 'timeout' GROUP BY grader_version
)
SELECT grader_version, num_graded, coalesce(num_judged, 0) AS num_judged,
    greatest(1 - coalesce(num_judged, 0) / num_graded, 0) AS cached_share
FROM answers
LEFT JOIN judged USING (grader_version);
COMMENT ON VIEW verdict_cache IS 'One row per version of the grader: how many answers of solutions and rollouts it graded, and how many different pairs of answers it had to judge for that.';
COMMENT ON COLUMN verdict_cache.cached_share IS 'Share of graded answers whose verdict was known already.';
