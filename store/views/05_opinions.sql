-- Opinions on the first error side by side: who agrees with whom.

CREATE VIEW first_error_opinions AS
SELECT solution_id, 'label_source' AS kind, label_source AS holder, first_error_index
FROM first_errors
WHERE label_source <> 'human'
UNION ALL
SELECT solution_id, 'label_source', label_source, first_error_index
FROM first_errors
-- A left join, and no anti join, because a filter by solution reaches both of its sides.
LEFT JOIN (SELECT DISTINCT solution_id AS rated_solution_id FROM labeler_first_errors)
    ON rated_solution_id = solution_id
WHERE label_source = 'human' AND rated_solution_id IS NULL
UNION ALL
SELECT solution_id, 'labeler', labeler, first_error_index FROM labeler_first_errors
UNION ALL
SELECT solution_id, 'teacher', reward_model_id, first_error_index FROM teacher_first_errors(0.5)
WHERE reward_model_id IN (
    SELECT arg_max(reward_model_id, created_at) FROM reward_models WHERE kind = 'prm'
    GROUP BY regexp_replace(reward_model_id, '-[0-9a-f]{8}$', '')
);
COMMENT ON VIEW first_error_opinions IS 'One row per solution and whoever has an opinion on its first error: label sources, labelers one by one where their own ratings are stored, and teachers, which are PRMs at a threshold of 0.5, each in its newest training. Opinions need not be independent: a PRM repeats what the labels it learned from said.';
COMMENT ON COLUMN first_error_opinions.solution_id IS 'The solution.';
COMMENT ON COLUMN first_error_opinions.kind IS 'What the holder of the opinion is: label_source, labeler or teacher.';
COMMENT ON COLUMN first_error_opinions.holder IS 'Whose opinion it is: the label source, the labeler, or the teacher''s reward_model_id.';
COMMENT ON COLUMN first_error_opinions.first_error_index IS 'The first wrong step, from 0; -1 where none is wrong; NULL where the opinion is undecided.';

CREATE MACRO consensus_among(holders) AS TABLE
WITH agreed AS (
    SELECT solution_id,
        CAST(count(*) AS INTEGER) AS num_opinions,
        min(first_error_index) AS first_error_index
    FROM first_error_opinions
    WHERE first_error_index IS NOT NULL
        AND (holders IS NULL OR list_has_any(holders, [holder, kind]))
    GROUP BY solution_id
    HAVING count(*) >= 2 AND min(first_error_index) = max(first_error_index)
)
SELECT solution_id, step_index,
    CAST(CASE WHEN step_index = first_error_index THEN -1 ELSE 1 END AS INTEGER) AS rating,
    num_opinions
FROM steps JOIN agreed USING (solution_id)
WHERE first_error_index = -1 OR step_index <= first_error_index;
COMMENT ON MACRO TABLE consensus_among IS 'One row per step that the view consensus_labels would hold if nobody but those in the list had an opinion; they are named as in first_error_opinions, one by one or by kind: [''monte_carlo'', ''labeler''].';

CREATE VIEW consensus_labels AS
SELECT solution_id, step_index, rating, num_opinions FROM consensus_among(NULL);
COMMENT ON VIEW consensus_labels IS 'One row per step on whose solution''s first error at least two opinions are decided and all decided ones agree (first_error_opinions), up to and with that first error.';
COMMENT ON COLUMN consensus_labels.solution_id IS 'The solution.';
COMMENT ON COLUMN consensus_labels.step_index IS 'The step, from 0.';
COMMENT ON COLUMN consensus_labels.rating IS '-1 at the first error, 1 at every step before it.';
COMMENT ON COLUMN consensus_labels.num_opinions IS 'How many opinions agree on the first error.';

CREATE VIEW label_disagreements AS
SELECT
    one.solution_id,
    one.kind, one.holder, other.kind AS other_kind, other.holder AS other_holder,
    one.first_error_index, other.first_error_index AS other_first_error_index
FROM first_error_opinions AS one
JOIN first_error_opinions AS other
    ON one.solution_id = other.solution_id
    AND (
        one.holder < other.holder
        OR one.holder = other.holder AND one.kind < other.kind
    )
WHERE one.first_error_index <> other.first_error_index;
COMMENT ON VIEW label_disagreements IS 'One row per solution and pair of label sources, labelers or teachers that both decide on a first error, and on different ones: Monte-Carlo against oracle, say.';
COMMENT ON COLUMN label_disagreements.solution_id IS 'The solution.';
COMMENT ON COLUMN label_disagreements.kind IS 'What holds the one opinion: label_source, labeler or teacher.';
COMMENT ON COLUMN label_disagreements.holder IS 'Whose opinion the one is, as in first_error_opinions; of a pair the first in the alphabet.';
COMMENT ON COLUMN label_disagreements.other_kind IS 'What holds the other opinion.';
COMMENT ON COLUMN label_disagreements.other_holder IS 'Whose opinion the other is.';
COMMENT ON COLUMN label_disagreements.first_error_index IS 'The first error in the one''s opinion, from 0; -1 for none.';
COMMENT ON COLUMN label_disagreements.other_first_error_index IS 'The first error in the other''s opinion, from 0; -1 for none.';
