-- What is derived from the tables: labels under one policy or another, first errors, counts and rates.
-- Views hold no data, so a change here reaches every database the next time it is opened.

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

CREATE MACRO hard_rating(
    rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
) AS
    CAST(CASE
        WHEN rating IS NOT NULL THEN rating
        WHEN p_wrong_low >= 0.5 THEN -1
        WHEN p_wrong_high < 0.5 THEN 1
        WHEN p_wrong_low IS NOT NULL THEN NULL
        WHEN num_correct > 0 THEN 1
        WHEN num_rollouts > 0 AND coalesce(num_truncated, 0) + coalesce(num_ungraded, 0) = 0 THEN -1
        WHEN num_rollouts IS NOT NULL THEN NULL
        WHEN value > 0.5 THEN 1
        WHEN value < 0.5 THEN -1
    END AS INTEGER);

CREATE VIEW hard_labels AS
SELECT
    solution_id, step_index, label_source,
    hard_rating(
        rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
    ) AS rating
FROM step_labels;
COMMENT ON VIEW hard_labels IS 'One row per step and label source: the rating given; else the likelier side where a probability of being wrong is given; else 1 where any rollout ended right, -1 where all ended and none right; else the side of 0.5 the value is on. NULL is undecided.';
COMMENT ON COLUMN hard_labels.rating IS '-1, 0 or 1; NULL where rollouts that were cut off could still turn it, or nothing is known.';

CREATE VIEW soft_labels AS
WITH estimated AS (
    SELECT solution_id, step_index, label_source, rating, coalesce(
        value,
        CASE WHEN num_rollouts > coalesce(num_truncated, 0) + coalesce(num_ungraded, 0)
            THEN num_correct / (num_rollouts - coalesce(num_truncated, 0) - coalesce(num_ungraded, 0)) END
    ) AS estimate
    FROM step_labels
)
SELECT
    solution_id, step_index, label_source,
    coalesce(estimate, CASE rating WHEN 1 THEN 1.0 WHEN -1 THEN 0.0 END) AS value,
    coalesce(1 - estimate, CAST(rating = -1 AS DOUBLE)) AS target_negative,
    CASE WHEN estimate IS NULL THEN CAST(rating = 0 AS DOUBLE) ELSE 0.0 END AS target_neutral,
    coalesce(estimate, CAST(rating = 1 AS DOUBLE)) AS target_positive
FROM estimated;
COMMENT ON VIEW soft_labels IS 'One row per step and label source: the value, and the target distribution over negative, neutral and positive that it or the rating stands for. NULL is unknown.';
COMMENT ON COLUMN soft_labels.value IS 'The value given; else correct over decided rollouts; else 1 or 0 for a rating. NULL for a neutral rating.';

CREATE MACRO thresholded_labels(threshold) AS TABLE
SELECT solution_id, step_index, label_source,
    CAST(CASE WHEN value >= threshold THEN 1 WHEN value < threshold THEN -1 END AS INTEGER) AS rating
FROM soft_labels;
COMMENT ON MACRO TABLE thresholded_labels IS 'One row per step and label source: 1 where the soft value is at least the threshold, -1 where it is below, NULL where it is unknown.';

CREATE MACRO confident_labels(confidence) AS TABLE
SELECT solution_id, step_index, label_source,
    CAST(CASE
        WHEN p_wrong_low IS NULL THEN hard_rating(
            rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
        )
        WHEN p_wrong_low >= confidence THEN -1
        WHEN p_wrong_high <= 1 - confidence THEN 1
    END AS INTEGER) AS rating
FROM step_labels;
COMMENT ON MACRO TABLE confident_labels IS 'One row per step and label source: the rating where it holds with at least the confidence, NULL (undecided) where it does not; sources that give no probability keep their hard label.';

CREATE VIEW labels_neutral_positive AS
SELECT solution_id, step_index, label_source, CASE rating WHEN 0 THEN 1 ELSE rating END AS rating
FROM hard_labels;
COMMENT ON VIEW labels_neutral_positive IS 'One row per step and label source: hard labels in which neutral counts as positive.';

CREATE VIEW labels_neutral_negative AS
SELECT solution_id, step_index, label_source, CASE rating WHEN 0 THEN -1 ELSE rating END AS rating
FROM hard_labels;
COMMENT ON VIEW labels_neutral_negative IS 'One row per step and label source: hard labels in which neutral counts as negative.';

CREATE VIEW labels_neutral_dropped AS
SELECT solution_id, step_index, label_source, rating
FROM hard_labels
WHERE rating IS DISTINCT FROM 0;
COMMENT ON VIEW labels_neutral_dropped IS 'One row per step and label source that is not neutral.';

CREATE VIEW first_errors AS
WITH written AS (
    -- Of an alternative only the last step is there.
    SELECT solution_id, max(step_index) + 1 AS num_steps FROM steps GROUP BY solution_id
),
marks AS (
    SELECT solution_id, label_source,
        min(step_index) FILTER (WHERE rating = -1) AS first_negative,
        list(step_index) FILTER (WHERE rating IS NOT NULL) AS decided,
        max(step_index) FILTER (WHERE rating IS NOT NULL) AS last_decided,
        count(rating) AS num_decided_steps
    FROM hard_labels
    GROUP BY solution_id, label_source
)
SELECT solution_id, label_source,
    CAST(CASE
        WHEN first_negative IS NULL AND num_decided_steps = num_steps THEN -1
        -- No gap: of m decided steps the last is step m - 1. Sorting lists takes longer than all the rest.
        WHEN first_negative = 0 OR last_decided = num_decided_steps - 1 THEN first_negative
        WHEN list_sort(decided)[first_negative] = first_negative - 1 THEN first_negative
    END AS INTEGER) AS first_error_index,
    num_steps, num_decided_steps
FROM marks JOIN written USING (solution_id);
COMMENT ON VIEW first_errors IS 'One row per solution and label source: the first step labeled wrong.';
COMMENT ON COLUMN first_errors.first_error_index IS 'Its index from 0; -1 where no step is wrong; NULL where a step without a decided label comes before.';

CREATE VIEW step_labels_until_first_error AS
WITH rated AS (
    SELECT solution_id, step_index, label_source, p_wrong_low, hard_rating(
        rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
    ) AS hard
    FROM step_labels
),
cut AS (
    SELECT solution_id, label_source, min(CASE
        WHEN hard = -1 THEN step_index
        -- A probability of being wrong is about the step or one before it: past an open step it says nothing of its own.
        WHEN hard IS NULL AND p_wrong_low IS NOT NULL THEN step_index - 1
    END) AS last_index
    FROM rated
    GROUP BY solution_id, label_source
    HAVING last_index IS NOT NULL
)
SELECT step_labels.* REPLACE (hard_rating(
    rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
) AS rating)
FROM step_labels LEFT JOIN cut USING (solution_id, label_source)
WHERE last_index IS NULL OR step_index <= last_index;
COMMENT ON VIEW step_labels_until_first_error IS 'One row per step and label source, up to and with the first step labeled wrong; what comes after a wrong step is dropped, and what comes after an undecided one where the label is a probability of being wrong. The rating is the hard label.';

CREATE VIEW label_counts AS
WITH rated AS (
    SELECT *, hard_rating(
        rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
    ) AS hard
    FROM step_labels
)
SELECT
    rated.label_source,
    count(DISTINCT rated.solution_id) FILTER (WHERE solutions.source IS DISTINCT FROM 'alternative')
        AS num_solutions,
    count(*) FILTER (WHERE solutions.source = 'alternative') AS num_alternatives,
    count(*) AS num_steps,
    count(*) FILTER (WHERE hard = 1) AS num_positive,
    count(*) FILTER (WHERE hard = 0) AS num_neutral,
    count(*) FILTER (WHERE hard = -1) AS num_negative,
    count(*) FILTER (WHERE hard IS NULL) AS num_undecided,
    CAST(sum(rated.num_rollouts) AS BIGINT) AS num_rollouts,
    CAST(sum(rated.num_truncated) AS BIGINT) AS num_truncated,
    CAST(sum(rated.num_ungraded) AS BIGINT) AS num_ungraded,
    CAST(sum(rated.cost_tokens) AS BIGINT) AS cost_tokens
FROM rated
LEFT JOIN solutions ON solutions.solution_id = rated.solution_id
GROUP BY rated.label_source;
COMMENT ON VIEW label_counts IS 'One row per label source: how many solutions and steps it labeled, with which hard labels, at what cost; rollouts of a shared prefix count once for each of its labels, and a solution as the one rollout of its last step.';
COMMENT ON COLUMN label_counts.num_solutions IS 'Whole solutions; alternatives to one of their steps are none.';
COMMENT ON COLUMN label_counts.num_alternatives IS 'Labeled steps that are alternatives to the one that was taken; among num_steps.';

CREATE VIEW pass_rates AS
SELECT
    problem_id, generator_id,
    count(*) AS num_solutions,
    count(*) FILTER (WHERE outcome = 'correct') AS num_correct,
    count(*) FILTER (WHERE outcome IN ('correct', 'incorrect', 'no_answer')) AS num_decided,
    count(*) FILTER (WHERE outcome = 'truncated') AS num_truncated,
    count(*) FILTER (WHERE outcome = 'grader_timeout') AS num_grader_timeout,
    count(*) FILTER (WHERE outcome IS NULL) AS num_ungraded,
    CASE WHEN num_decided > 0 THEN num_correct / num_decided END AS pass_rate
FROM solutions
WHERE source = 'sampled'
GROUP BY problem_id, generator_id;
COMMENT ON VIEW pass_rates IS 'One row per problem and generator, over sampled solutions: correct over decided ones.';
COMMENT ON COLUMN pass_rates.pass_rate IS 'num_correct / num_decided; truncated and timed out solutions are counted beside it, never as wrong. NULL where none is decided.';

CREATE MACRO teacher_first_errors(threshold) AS TABLE
WITH written AS (
    SELECT solution_id, count(*) AS num_steps FROM steps GROUP BY solution_id
),
read AS (
    SELECT reward_model_id, solution_id,
        count(*) AS num_scored,
        min(step_index) FILTER (WHERE p_positive + p_neutral < threshold) AS first_low
    FROM scores
    WHERE reward_model_id IN (SELECT reward_model_id FROM reward_models WHERE kind = 'prm')
    GROUP BY reward_model_id, solution_id
)
SELECT solution_id, reward_model_id, CAST(coalesce(first_low, -1) AS INTEGER) AS first_error_index
FROM read JOIN written USING (solution_id)
WHERE num_scored = num_steps;
COMMENT ON MACRO TABLE teacher_first_errors IS 'One row per solution and PRM that scored its every step: the first step with p_positive + p_neutral below the threshold, -1 where none is.';

CREATE VIEW person_first_errors AS
WITH rated AS (
    SELECT solution_id, labeler, step_index,
        first(rating ORDER BY coalesce(chosen, false) DESC, alternative_index) AS rating
    FROM human_labels JOIN steps USING (solution_id, step_index)
    WHERE regexp_replace(completion, '^\s+|\s+$', '', 'g') = step
        AND NOT coalesce(is_quality_control, false) AND NOT coalesce(is_screening, false)
    GROUP BY solution_id, labeler, step_index
),
marks AS (
    SELECT solution_id, labeler,
        min(step_index) FILTER (WHERE rating = -1) AS first_negative,
        list(step_index) FILTER (WHERE rating IS NOT NULL) AS decided,
        max(step_index) FILTER (WHERE rating IS NOT NULL) AS last_decided,
        count(rating) AS num_decided_steps
    FROM rated
    GROUP BY solution_id, labeler
),
written AS (
    SELECT solution_id, count(*) AS num_steps FROM steps GROUP BY solution_id
)
SELECT solution_id, labeler,
    CAST(CASE
        WHEN first_negative IS NULL AND num_decided_steps = num_steps AND last_decided = num_steps - 1 THEN -1
        WHEN first_negative = 0 OR last_decided = num_decided_steps - 1 THEN first_negative
        WHEN list_sort(decided)[first_negative] = first_negative - 1 THEN first_negative
    END AS INTEGER) AS first_error_index
FROM marks JOIN written USING (solution_id);
COMMENT ON VIEW person_first_errors IS 'One row per solution and person who rated any of its own steps: the first one rated wrong. Alternatives to a step do not count, nor do quality-control and screening questions.';
COMMENT ON COLUMN person_first_errors.solution_id IS 'The solution that was rated.';
COMMENT ON COLUMN person_first_errors.labeler IS 'Who rated it.';
COMMENT ON COLUMN person_first_errors.first_error_index IS 'Its index from 0; -1 where every step is rated and none wrong; NULL where a step without a rating comes before.';

CREATE VIEW first_error_opinions AS
SELECT solution_id, 'label_source' AS kind, label_source, first_error_index
FROM first_errors
WHERE label_source <> 'human'
UNION ALL
SELECT solution_id, 'label_source', label_source, first_error_index
FROM first_errors
-- A left join, and no anti join, because a filter by solution reaches both of its sides.
LEFT JOIN (SELECT DISTINCT solution_id AS rated_solution_id FROM person_first_errors)
    ON rated_solution_id = solution_id
WHERE label_source = 'human' AND rated_solution_id IS NULL
UNION ALL
SELECT solution_id, 'person', labeler, first_error_index FROM person_first_errors
UNION ALL
SELECT solution_id, 'teacher', reward_model_id, first_error_index FROM teacher_first_errors(0.5)
WHERE reward_model_id IN (
    SELECT arg_max(reward_model_id, created_at) FROM reward_models WHERE kind = 'prm'
    GROUP BY regexp_replace(reward_model_id, '-[0-9a-f]{8}$', '')
);
COMMENT ON VIEW first_error_opinions IS 'One row per solution and whoever has an opinion on its first error: label sources, people one by one where their own ratings are stored, and teachers, which are PRMs at a threshold of 0.5, each in its newest training. Opinions need not be independent: a PRM repeats what the labels it learned from said.';
COMMENT ON COLUMN first_error_opinions.solution_id IS 'The solution.';
COMMENT ON COLUMN first_error_opinions.kind IS 'label_source, person or teacher.';
COMMENT ON COLUMN first_error_opinions.label_source IS 'Whose opinion it is: the label source, the person''s name (labeler), or the PRM''s reward_model_id.';
COMMENT ON COLUMN first_error_opinions.first_error_index IS 'The first wrong step, from 0; -1 where none is wrong; NULL where the opinion is undecided.';

CREATE MACRO consensus_among(label_sources) AS TABLE
WITH agreed AS (
    SELECT solution_id,
        CAST(count(*) AS INTEGER) AS num_opinions,
        min(first_error_index) AS first_error_index
    FROM first_error_opinions
    WHERE first_error_index IS NOT NULL
        AND (label_sources IS NULL OR list_has_any(label_sources, [label_source, kind]))
    GROUP BY solution_id
    HAVING count(*) >= 2 AND min(first_error_index) = max(first_error_index)
)
SELECT solution_id, step_index,
    CAST(CASE WHEN step_index = first_error_index THEN -1 ELSE 1 END AS INTEGER) AS rating,
    num_opinions
FROM steps JOIN agreed USING (solution_id)
WHERE first_error_index = -1 OR step_index <= first_error_index;
COMMENT ON MACRO TABLE consensus_among IS 'One row per step that the view consensus_labels would hold if nobody but those in the list had an opinion; they are named as in first_error_opinions, one by one or by kind: [''monte_carlo'', ''person''].';

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
    one.label_source, other.label_source AS other_label_source,
    one.first_error_index, other.first_error_index AS other_first_error_index
FROM first_error_opinions AS one
JOIN first_error_opinions AS other
    ON one.solution_id = other.solution_id
    AND (
        one.label_source < other.label_source
        OR one.label_source = other.label_source AND one.kind < other.kind
    )
WHERE one.first_error_index <> other.first_error_index;
COMMENT ON VIEW label_disagreements IS 'One row per solution and pair of label sources, people or teachers that both decide on a first error, and on different ones: Monte-Carlo against oracle, say.';
COMMENT ON COLUMN label_disagreements.solution_id IS 'The solution.';
COMMENT ON COLUMN label_disagreements.label_source IS 'Whose opinion the one is, as in first_error_opinions; of a pair the first in the alphabet.';
COMMENT ON COLUMN label_disagreements.other_label_source IS 'Whose opinion the other is.';
COMMENT ON COLUMN label_disagreements.first_error_index IS 'The first error in the one''s opinion, from 0; -1 for none.';
COMMENT ON COLUMN label_disagreements.other_first_error_index IS 'The first error in the other''s opinion, from 0; -1 for none.';

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

CREATE MACRO text_ratings(neutral_as) AS TABLE
WITH prefixes AS (
    -- What a step follows: its solution up to the end of the step before, and a newline also where that was the last.
    SELECT solution_id, step_index + 1 AS step_index,
        hash(problem_id, CASE WHEN suffix(left(solution, char_end), E'\n') THEN left(solution, char_end)
            ELSE left(solution, char_end) || E'\n' END) AS prefix_hash
    FROM steps JOIN solutions USING (solution_id)
    WHERE solution_id IN (SELECT solution_id FROM human_labels)
    UNION ALL
    SELECT solution_id, 0, hash(problem_id, '') FROM solutions
    WHERE solution_id IN (SELECT solution_id FROM human_labels)
),
rated AS (
    SELECT human_labels.rowid AS label_row, solution_id, labeler,
        -- Trimming takes longer than all the rest, and few texts need it.
        hash(prefix_hash, CASE WHEN ascii(left(completion, 1)) <= 32 OR ascii(right(completion, 1)) <= 32
            THEN trim(completion, E' \t\r\n') ELSE completion END) AS text_id,
        CASE WHEN rating IS DISTINCT FROM 0 THEN rating ELSE CASE neutral_as
            WHEN 'keep' THEN 0 WHEN 'positive' THEN 1 WHEN 'negative' THEN -1 WHEN 'drop' THEN NULL
            ELSE error('neutral_as is keep, positive, negative or drop')
        END END AS rating,
        coalesce(is_quality_control, false) OR coalesce(is_screening, false) AS is_check
    FROM human_labels JOIN prefixes USING (solution_id, step_index)
)
SELECT text_id, labeler,
    min(label_row) AS label_row,
    CAST(CASE WHEN min(rating) = max(rating) THEN min(rating) END AS INTEGER) AS rating,
    count(*) AS num_completions,
    coalesce(min(rating) <> max(rating), false) AS is_contradictory,
    bool_or(is_check) AS is_check
FROM rated
GROUP BY text_id, labeler;
COMMENT ON MACRO TABLE text_ratings IS 'One row per labeler and text, which is a problem, the steps so far and one next step, wherever people met it. The rating is NULL where none was given, or where the labeler gave the text different ones (is_contradictory); is_check: met in a quality-control or screening question. label_row is the rowid in human_labels of one of its ratings; neutral_as says what a neutral rating is: ''keep'' (0), ''positive'' (1), ''negative'' (-1), ''drop'' (NULL).';

CREATE MACRO labeler_agreement_under(neutral_as) AS TABLE
WITH rated AS (
    SELECT text_id, labeler, label_row, rating FROM text_ratings(neutral_as)
    WHERE rating IS NOT NULL AND labeler <> 'unknown'
),
shared AS (
    SELECT text_id FROM rated GROUP BY text_id HAVING count(*) > 1
),
among AS (
    SELECT text_id, rated.labeler, problem_id, rated.rating
    FROM rated JOIN human_labels ON human_labels.rowid = label_row JOIN solutions USING (solution_id)
    WHERE text_id IN (FROM shared)
)
SELECT
    one.labeler, other.labeler AS other_labeler,
    count(*) AS num_texts,
    count(DISTINCT one.problem_id) AS num_problems,
    count(*) FILTER (WHERE one.rating = other.rating) AS num_agreeing,
    num_agreeing / num_texts AS agreement,
    (
        count(*) FILTER (WHERE one.rating = -1) * count(*) FILTER (WHERE other.rating = -1)
        + count(*) FILTER (WHERE one.rating = 0) * count(*) FILTER (WHERE other.rating = 0)
        + count(*) FILTER (WHERE one.rating = 1) * count(*) FILTER (WHERE other.rating = 1)
    ) / (num_texts * num_texts) AS chance_agreement,
    CASE WHEN chance_agreement < 1 THEN (agreement - chance_agreement) / (1 - chance_agreement) END AS kappa
FROM among AS one
JOIN among AS other ON one.text_id = other.text_id AND one.labeler < other.labeler
GROUP BY one.labeler, other.labeler;
COMMENT ON MACRO TABLE labeler_agreement_under IS 'One row per pair of labelers, as in labeler_agreement, where neutral ratings are what text_ratings takes them for.';

CREATE VIEW labeler_agreement AS
SELECT labeler, other_labeler, num_texts, num_problems, num_agreeing, agreement, chance_agreement, kappa
FROM labeler_agreement_under('keep');
COMMENT ON VIEW labeler_agreement IS 'One row per pair of known labelers who both rated a text: how often they agree, and Cohen''s kappa. Intervals are in evaluations, metric cohen_kappa.';
COMMENT ON COLUMN labeler_agreement.labeler IS 'Of the two the first in the alphabet.';
COMMENT ON COLUMN labeler_agreement.num_texts IS 'Texts that both gave one rating; texts are what text_ratings takes for one.';
COMMENT ON COLUMN labeler_agreement.chance_agreement IS 'Share expected of two who rate as often -1, 0 and 1 as they do, at random.';
COMMENT ON COLUMN labeler_agreement.kappa IS 'Agreement beyond chance, 1 at most; NULL where both always give one and the same rating.';

CREATE MACRO labeler_quality_under(neutral_as) AS TABLE
WITH sessions AS (
    SELECT solution_id, labeler, count(DISTINCT step_index) AS num_steps, any_value(duration_ms) AS duration_ms
    FROM human_labels
    GROUP BY solution_id, labeler
),
times AS (
    SELECT labeler,
        count(*) AS num_solutions,
        CAST(sum(num_steps) AS BIGINT) AS num_steps,
        count(*) FILTER (WHERE duration_ms IS NULL) AS num_solutions_without_time,
        sum(duration_ms) / sum(num_steps) FILTER (WHERE duration_ms IS NOT NULL) AS ms_per_step,
        median(duration_ms / num_steps) AS median_ms_per_step
    FROM sessions
    GROUP BY labeler
),
given AS (
    SELECT labeler,
        count(*) AS num_completions,
        count(*) FILTER (WHERE rating = -1) AS num_negative,
        count(*) FILTER (WHERE rating = 0) AS num_neutral,
        count(*) FILTER (WHERE rating = 1) AS num_positive,
        count(*) FILTER (WHERE rating IS NULL) AS num_unrated,
        count(*) FILTER (WHERE flagged) AS num_flagged,
        count(*) FILTER (WHERE is_quality_control) AS num_quality_control,
        count(*) FILTER (WHERE is_screening) AS num_screening
    FROM human_labels
    GROUP BY labeler
),
rated AS MATERIALIZED (
    SELECT text_id, labeler, rating, is_contradictory, is_check FROM text_ratings(neutral_as)
),
votes AS (
    SELECT text_id,
        count(*) FILTER (WHERE rating = -1) AS num_negative,
        count(*) FILTER (WHERE rating = 0) AS num_neutral,
        count(*) FILTER (WHERE rating = 1) AS num_positive
    FROM rated
    WHERE rating IS NOT NULL AND labeler <> 'unknown'
    GROUP BY text_id
    HAVING count(*) > 1
),
others AS (
    -- The votes on a text without the labeler's own.
    SELECT text_id, labeler, rating,
        votes.num_negative - CAST(rating = -1 AS INTEGER) AS negative,
        votes.num_neutral - CAST(rating = 0 AS INTEGER) AS neutral,
        votes.num_positive - CAST(rating = 1 AS INTEGER) AS positive,
        CASE
            WHEN negative > greatest(neutral, positive) THEN -1
            WHEN neutral > greatest(negative, positive) THEN 0
            WHEN positive > greatest(negative, neutral) THEN 1
        END AS mode
    FROM rated JOIN votes USING (text_id)
    WHERE rating IS NOT NULL AND labeler <> 'unknown'
),
judged AS (
    SELECT rated.labeler,
        count(*) FILTER (WHERE is_contradictory) AS num_contradictory,
        count(mode) AS num_compared,
        count(*) FILTER (WHERE mode = rated.rating) AS num_agreeing,
        count(*) FILTER (WHERE is_check AND rated.rating IS NOT NULL) AS num_checks,
        count(mode) FILTER (WHERE is_check) AS num_checks_compared,
        count(*) FILTER (WHERE is_check AND mode = rated.rating) AS num_checks_agreeing
    FROM rated LEFT JOIN others USING (text_id, labeler)
    GROUP BY rated.labeler
)
SELECT labeler, num_solutions, num_steps,
    num_completions, num_negative, num_neutral, num_positive, num_unrated, num_flagged,
    num_quality_control, num_screening,
    CASE WHEN labeler <> 'unknown' THEN num_contradictory END AS num_contradictory,
    num_compared, num_agreeing,
    CASE WHEN num_compared > 0 THEN num_agreeing / num_compared END AS agreement,
    num_checks, num_checks_compared, num_checks_agreeing,
    CASE WHEN num_checks_compared > 0 THEN num_checks_agreeing / num_checks_compared END AS check_agreement,
    num_solutions_without_time, ms_per_step, median_ms_per_step
FROM times JOIN given USING (labeler) JOIN judged USING (labeler);
COMMENT ON MACRO TABLE labeler_quality_under IS 'One row per labeler, as in labeler_quality, where neutral ratings are what text_ratings takes them for when labelers are compared.';

CREATE VIEW labeler_quality AS
SELECT labeler, num_solutions, num_steps, num_completions, num_negative, num_neutral, num_positive, num_unrated,
    num_flagged, num_quality_control, num_screening, num_contradictory, num_compared, num_agreeing, agreement,
    num_checks, num_checks_compared, num_checks_agreeing, check_agreement,
    num_solutions_without_time, ms_per_step, median_ms_per_step
FROM labeler_quality_under('keep');
COMMENT ON VIEW labeler_quality IS 'One row per labeler: what they rated, how, how fast, and whether they say what most others say of the same text, in all and in quality-control and screening questions. The label "unknown" stands for any number of people and is compared with nobody.';
COMMENT ON COLUMN labeler_quality.num_steps IS 'Steps gone through, rated or not.';
COMMENT ON COLUMN labeler_quality.num_completions IS 'Completions offered to them for these steps; by rating in the columns that follow.';
COMMENT ON COLUMN labeler_quality.num_quality_control IS 'Of the completions those in quality-control questions.';
COMMENT ON COLUMN labeler_quality.num_screening IS 'Of the completions those in screening questions.';
COMMENT ON COLUMN labeler_quality.num_contradictory IS 'Texts they gave different ratings; NULL for the unknown.';
COMMENT ON COLUMN labeler_quality.num_compared IS 'Texts they rated on which the other known labelers have one most frequent rating.';
COMMENT ON COLUMN labeler_quality.num_agreeing IS 'Of these the texts they gave the same rating.';
COMMENT ON COLUMN labeler_quality.num_checks IS 'Texts they rated in quality-control or screening questions.';
COMMENT ON COLUMN labeler_quality.num_checks_compared IS 'Of these the texts whose truth is known: the most frequent rating by others, as no file brings the answers its makers expected.';
COMMENT ON COLUMN labeler_quality.check_agreement IS 'Share of num_checks_compared they gave the same rating; NULL where the truth of none is known.';
COMMENT ON COLUMN labeler_quality.num_solutions_without_time IS 'Solutions whose labeling time is not known; they are in no time.';
COMMENT ON COLUMN labeler_quality.ms_per_step IS 'Milliseconds per step gone through, over all their solutions.';
COMMENT ON COLUMN labeler_quality.median_ms_per_step IS 'Median over their solutions; breaks make the mean long.';

CREATE MACRO conflicting_ratings_under(neutral_as) AS TABLE
WITH conflicts AS (
    SELECT
        CASE WHEN bool_and(labeler <> 'unknown') THEN count(*) END AS num_labelers,
        count(*) FILTER (WHERE rating = -1) AS num_negative,
        count(*) FILTER (WHERE rating = 0) AS num_neutral,
        count(*) FILTER (WHERE rating = 1) AS num_positive,
        count(*) FILTER (WHERE is_contradictory) AS num_contradictory,
        list_sort(list(labeler)) AS labelers,
        bool_or(is_check) AS is_check,
        min(label_row) AS label_row
    FROM text_ratings(neutral_as)
    WHERE rating IS NOT NULL OR is_contradictory
    GROUP BY text_id
    HAVING min(rating) <> max(rating) OR bool_or(is_contradictory)
)
SELECT problem_id, solution_id, step_index, completion,
    num_labelers, num_negative, num_neutral, num_positive, num_contradictory, labelers, conflicts.is_check
FROM conflicts JOIN human_labels ON human_labels.rowid = label_row JOIN solutions USING (solution_id);
COMMENT ON MACRO TABLE conflicting_ratings_under IS 'One row per text with different ratings, as in conflicting_ratings, where neutral ratings are what text_ratings takes them for: ''positive'' keeps the conflicts about right and wrong.';

CREATE VIEW conflicting_ratings AS
SELECT problem_id, solution_id, step_index, completion, num_labelers, num_negative, num_neutral, num_positive,
    num_contradictory, labelers, is_check
FROM conflicting_ratings_under('keep');
COMMENT ON VIEW conflicting_ratings IS 'One row per text that was given different ratings: the same problem, the same steps so far, the same next step.';
COMMENT ON COLUMN conflicting_ratings.solution_id IS 'A solution in which it was rated.';
COMMENT ON COLUMN conflicting_ratings.step_index IS 'The step, from 0.';
COMMENT ON COLUMN conflicting_ratings.completion IS 'The next step, as it was rated.';
COMMENT ON COLUMN conflicting_ratings.num_labelers IS 'Labelers who rated it; NULL where one is unknown.';
COMMENT ON COLUMN conflicting_ratings.num_negative IS 'Labelers who gave it -1 only.';
COMMENT ON COLUMN conflicting_ratings.num_neutral IS 'Labelers who gave it 0 only.';
COMMENT ON COLUMN conflicting_ratings.num_positive IS 'Labelers who gave it 1 only.';
COMMENT ON COLUMN conflicting_ratings.num_contradictory IS 'Labelers who gave it different ratings themselves; the unknown may be several people.';
COMMENT ON COLUMN conflicting_ratings.is_check IS 'Whether anybody met it in a quality-control or screening question.';

-- What data teams ask: docs/sql.md puts each question beside its query and an answer.

CREATE VIEW first_errors_by_subject AS
SELECT
    subject, level, label_source,
    count(*) AS num_solutions,
    count(*) FILTER (WHERE first_error_index >= 0) AS num_with_error,
    count(*) FILTER (WHERE first_error_index = -1) AS num_without_error,
    count(*) FILTER (WHERE first_error_index IS NULL) AS num_undecided,
    avg(first_error_index) FILTER (WHERE first_error_index >= 0) AS mean_first_error_index,
    avg(first_error_index / num_steps) FILTER (WHERE first_error_index >= 0) AS mean_place
FROM first_errors
JOIN solutions USING (solution_id)
JOIN problems USING (problem_id)
WHERE solutions.source <> 'alternative'
GROUP BY subject, level, label_source;
COMMENT ON VIEW first_errors_by_subject IS 'One row per subject, level and label source: in how many labeled solutions the source finds an error, and where. Alternatives to a step are no solutions and are left out.';
COMMENT ON COLUMN first_errors_by_subject.num_undecided IS 'Solutions in which a step without a decided label comes before any wrong one.';
COMMENT ON COLUMN first_errors_by_subject.mean_first_error_index IS 'Mean index, from 0, of the first wrong step, over solutions that have one.';
COMMENT ON COLUMN first_errors_by_subject.mean_place IS 'Mean of that index divided by the number of steps: 0 is the very start.';

CREATE VIEW labels_by_round AS
WITH rated AS (
    SELECT *, hard_rating(
        rating, value, num_rollouts, num_correct, num_truncated, num_ungraded, p_wrong_low, p_wrong_high
    ) AS hard
    FROM step_labels
)
SELECT
    rated.label_source, solutions.round,
    count(DISTINCT rated.solution_id) AS num_solutions,
    count(*) AS num_steps,
    count(*) FILTER (WHERE hard = 1) AS num_positive,
    count(*) FILTER (WHERE hard = 0) AS num_neutral,
    count(*) FILTER (WHERE hard = -1) AS num_negative,
    count(*) FILTER (WHERE hard IS NULL) AS num_undecided
FROM rated
JOIN solutions USING (solution_id)
GROUP BY rated.label_source, solutions.round;
COMMENT ON VIEW labels_by_round IS 'One row per label source and round of the labeled solutions: how many they are, and their hard labels.';
COMMENT ON COLUMN labels_by_round.round IS 'Round the solutions were sampled in, from 0; NULL where they were imported.';

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

CREATE VIEW source_agreement AS
WITH found AS MATERIALIZED (SELECT solution_id, label_source, first_error_index FROM first_errors)
SELECT
    one.label_source, other.label_source AS other_label_source,
    count(*) AS num_solutions,
    count(*) FILTER (WHERE one.first_error_index = other.first_error_index) AS num_agreeing,
    count(*) FILTER (WHERE one.first_error_index <> other.first_error_index) AS num_disagreeing,
    count(*) FILTER (WHERE one.first_error_index IS NULL OR other.first_error_index IS NULL) AS num_undecided,
    CASE WHEN num_agreeing + num_disagreeing > 0
        THEN num_agreeing / (num_agreeing + num_disagreeing) END AS agreement
FROM found AS one
JOIN found AS other ON one.solution_id = other.solution_id AND one.label_source < other.label_source
GROUP BY one.label_source, other.label_source;
COMMENT ON VIEW source_agreement IS 'One row per pair of label sources that labeled the same solutions: on how many they agree where the first error lies.';
COMMENT ON COLUMN source_agreement.num_undecided IS 'Solutions on whose first error at least one of the two is undecided; they are in no share.';
COMMENT ON COLUMN source_agreement.agreement IS 'num_agreeing over agreeing and disagreeing ones; NULL where both are never decided.';

CREATE VIEW label_changes AS
SELECT
    one.label_source, other.label_source AS other_label_source,
    one.rating, other.rating AS other_rating,
    count(*) AS num_steps
FROM hard_labels AS one
JOIN hard_labels AS other
    ON one.solution_id = other.solution_id AND one.step_index = other.step_index
    AND one.label_source < other.label_source
-- Of two label sources, say, only one's labels can be on either side.
WHERE one.label_source < (SELECT max(label_source) FROM step_labels)
    AND other.label_source > (SELECT min(label_source) FROM step_labels)
GROUP BY ALL;
COMMENT ON VIEW label_changes IS 'One row per pair of label sources and pair of their hard labels: how many steps have the one from the one source and the other from the other.';
COMMENT ON COLUMN label_changes.rating IS 'Hard label of label_source: -1, 0, 1; NULL is undecided.';
COMMENT ON COLUMN label_changes.other_rating IS 'Hard label of other_label_source: -1, 0, 1; NULL is undecided.';

CREATE VIEW solution_scores AS
SELECT
    reward_model_id, solution_id,
    product(p_positive + p_neutral) AS score,
    min(p_positive + p_neutral) AS lowest,
    arg_min(step_index, p_positive + p_neutral) AS lowest_step_index,
    arg_max(p_positive + p_neutral, step_index) AS last,
    count(*) AS num_scored_steps
FROM scores
GROUP BY reward_model_id, solution_id;
COMMENT ON VIEW solution_scores IS 'One row per reward model and solution it scored: the product, lowest and last of its steps'' scores, where a step''s score is p_positive + p_neutral.';
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

CREATE VIEW rejects_by_reason AS
SELECT
    file, regexp_replace(reason, '\d+', 'N', 'g') AS reason,
    count(*) AS num_rows, min(line) AS first_line, any_value(reason) AS example
FROM rejects
GROUP BY ALL;
COMMENT ON VIEW rejects_by_reason IS 'One row per file and reason, numbers in it aside: how many of its rows were refused for it.';
COMMENT ON COLUMN rejects_by_reason.reason IS 'The reason with N for every number.';
COMMENT ON COLUMN rejects_by_reason.example IS 'One of the reasons, word for word.';

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

CREATE VIEW label_rollouts AS
SELECT
    step_labels.solution_id, step_labels.step_index, step_labels.label_source,
    rollouts.prefix_id, rollouts.completer_id, rollouts.rollout_index,
    rollouts.completion, rollouts.final_answer, rollouts.outcome, rollouts.num_tokens
FROM step_labels
JOIN step_prefixes USING (solution_id, step_index)
JOIN rollouts USING (prefix_id, completer_id)
-- The join implies it; said aloud, DuckDB takes the labels for fewer than the rollouts, and hashes them instead.
WHERE step_labels.completer_id IS NOT NULL;
COMMENT ON VIEW label_rollouts IS 'One row per step label and sampled rollout it rests on; a solution''s last step has none, its one rollout is the solution. Ask for one solution: WHERE solution_id = ...';

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

CREATE VIEW unlabeled_solutions AS
SELECT
    solution_id, problem_id, problems.split, problems.subject, problems.level,
    solutions.round, solutions.generator_id, solutions.outcome
FROM solutions
JOIN problems USING (problem_id)
LEFT JOIN (SELECT DISTINCT solution_id AS labeled_solution_id FROM step_labels) ON labeled_solution_id = solution_id
WHERE solutions.source <> 'alternative' AND labeled_solution_id IS NULL;
COMMENT ON VIEW unlabeled_solutions IS 'One row per solution of which no step has a label from any source.';

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

CREATE VIEW prm_calibration AS
SELECT
    scores.reward_model_id, hard_labels.label_source,
    CAST(least(floor((p_positive + p_neutral) * 10), 9) AS INTEGER) AS bucket,
    count(*) AS num_steps,
    avg(p_positive + p_neutral) AS mean_score,
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
JOIN (SELECT solution_id, count(*) AS num_steps FROM steps GROUP BY solution_id) USING (solution_id)
GROUP BY ALL;
COMMENT ON VIEW score_lengths IS 'One row per reward model, number of steps and outcome: the mean score, to see whether long solutions score lower.';

-- Lineage: from a label or a score to everything it rests on.

CREATE VIEW solution_lineage AS
SELECT
    solution_id,
    solutions.source AS solution_source,
    solutions.source_file AS solution_file,
    solutions.source_line AS solution_line,
    solutions.round,
    solutions.generator_id,
    coalesce(samplers.model, CASE WHEN solutions.source <> 'sampled' THEN solutions.generator_id END) AS generator_model,
    samplers.checkpoint_sha256 AS generator_sha256,
    samplers.sampling AS generator_sampling,
    samplers.seed AS generator_seed,
    samplers.engine AS generator_engine,
    samplers.code_version AS generator_code_version,
    solutions.sample_index,
    solutions.grader_version,
    problem_id,
    problems.source AS problem_source,
    problems.split,
    problems.source_file AS problem_file,
    problems.source_line AS problem_line,
    problems.generator AS problem_generator
FROM solutions
LEFT JOIN samplers ON samplers.sampler_id = solutions.generator_id
LEFT JOIN problems USING (problem_id);
COMMENT ON VIEW solution_lineage IS 'One row per solution: who wrote it, with which parameters, or the file and line it came from; and the same for its problem.';
COMMENT ON COLUMN solution_lineage.generator_model IS 'The sampler''s model; where imported, the name the file gives its model.';

CREATE VIEW label_lineage AS
SELECT
    step_labels.solution_id, step_labels.step_index, step_labels.label_source,
    step_labels.rating, step_labels.value, step_labels.num_rollouts, step_labels.num_correct,
    step_labels.estimator, step_labels.code_version, step_labels.source_file, step_labels.source_line,
    step_labels.completer_id,
    completers.model AS completer_model,
    completers.checkpoint_sha256 AS completer_sha256,
    completers.sampling AS completer_sampling,
    completers.seed AS completer_seed,
    completers.engine AS completer_engine,
    completers.code_version AS completer_code_version,
    solution_lineage.* EXCLUDE (solution_id)
FROM step_labels
LEFT JOIN samplers AS completers ON completers.sampler_id = step_labels.completer_id
LEFT JOIN solution_lineage ON solution_lineage.solution_id = step_labels.solution_id;
COMMENT ON VIEW label_lineage IS 'One row per step label: the completer and estimator it rests on, or the file and line it came from; then its solution and problem, as in solution_lineage. NULL where it does not apply or was not kept.';
COMMENT ON COLUMN label_lineage.code_version IS 'Version of Stepmark that made or imported the label.';
COMMENT ON COLUMN label_lineage.source_file IS 'File the label was imported from.';
COMMENT ON COLUMN label_lineage.source_line IS 'Line of that file, from 1.';

CREATE VIEW score_lineage AS
SELECT
    scores.reward_model_id, scores.solution_id, scores.step_index,
    scores.p_negative, scores.p_neutral, scores.p_positive,
    reward_models.kind, reward_models.round AS reward_model_round, reward_models.base_model,
    reward_models.base_sha256, reward_models.checkpoint, reward_models.checkpoint_sha256,
    reward_models.config, reward_models.label_sources, reward_models.code_version,
    reward_models.created_at AS trained_at,
    solution_lineage.* EXCLUDE (solution_id)
FROM scores
LEFT JOIN reward_models USING (reward_model_id)
LEFT JOIN solution_lineage ON solution_lineage.solution_id = scores.solution_id;
COMMENT ON VIEW score_lineage IS 'One row per reward model and step it scored: the weights it started from, those it ended with, its training configuration and label sources; then the solution and its problem, as in solution_lineage.';
COMMENT ON COLUMN score_lineage.code_version IS 'Version of Stepmark that trained the reward model.';
