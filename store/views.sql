-- What is derived from the tables: labels under one policy or another, first errors, counts and rates.
-- Views hold no data, so a change here reaches every database the next time it is opened.

CREATE VIEW step_prefixes AS
SELECT
    solution_id, step_index,
    'x' || substr(sha256(
        '6:prefix' || strlen(problem_id) || ':' || problem_id
        || strlen(solution[:char_end]) || ':' || solution[:char_end]
    ), 1, 20) AS prefix_id
FROM steps JOIN solutions USING (solution_id);
COMMENT ON VIEW step_prefixes IS 'One row per step: the prefix that ends in it, under which its rollouts stand.';
COMMENT ON COLUMN step_prefixes.prefix_id IS 'Hash of the problem and of the solution up to the step''s end.';

CREATE VIEW hard_labels AS
SELECT
    solution_id, step_index, label_source,
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
    END AS INTEGER) AS rating
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
        WHEN p_wrong_low IS NULL THEN hard_labels.rating
        WHEN p_wrong_low >= confidence THEN -1
        WHEN p_wrong_high <= 1 - confidence THEN 1
    END AS INTEGER) AS rating
FROM step_labels JOIN hard_labels USING (solution_id, step_index, label_source);
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
WITH labeled AS (
    SELECT DISTINCT solution_id, label_source FROM step_labels
),
marks AS (
    SELECT labeled.solution_id, labeled.label_source,
        min(steps.step_index) FILTER (WHERE hard_labels.rating = -1) AS first_negative,
        min(steps.step_index) FILTER (WHERE hard_labels.rating IS NULL) AS first_undecided,
        count(*) AS num_steps,
        count(hard_labels.rating) AS num_decided_steps
    FROM labeled
    JOIN steps USING (solution_id)
    LEFT JOIN hard_labels
        ON hard_labels.solution_id = labeled.solution_id
        AND hard_labels.label_source = labeled.label_source
        AND hard_labels.step_index = steps.step_index
    GROUP BY labeled.solution_id, labeled.label_source
)
SELECT solution_id, label_source,
    CAST(CASE
        WHEN first_undecided < coalesce(first_negative, first_undecided + 1) THEN NULL
        ELSE coalesce(first_negative, -1)
    END AS INTEGER) AS first_error_index,
    num_steps, num_decided_steps
FROM marks;
COMMENT ON VIEW first_errors IS 'One row per solution and label source: the first step labeled wrong.';
COMMENT ON COLUMN first_errors.first_error_index IS 'Its index from 0; -1 where no step is wrong; NULL where a step without a decided label comes before.';

CREATE VIEW step_labels_until_first_error AS
WITH cut AS (
    SELECT solution_id, label_source, min(CASE
        WHEN hard_labels.rating = -1 THEN step_index
        -- A probability of being wrong is about the step or one before it: past an open step it says nothing of its own.
        WHEN hard_labels.rating IS NULL AND p_wrong_low IS NOT NULL THEN step_index - 1
    END) AS last_index
    FROM hard_labels JOIN step_labels USING (solution_id, step_index, label_source)
    GROUP BY solution_id, label_source
)
SELECT step_labels.* REPLACE (hard_labels.rating AS rating)
FROM step_labels
JOIN hard_labels USING (solution_id, step_index, label_source)
LEFT JOIN cut USING (solution_id, label_source)
WHERE cut.last_index IS NULL OR step_labels.step_index <= cut.last_index;
COMMENT ON VIEW step_labels_until_first_error IS 'One row per step and label source, up to and with the first step labeled wrong; what comes after a wrong step is dropped, and what comes after an undecided one where the label is a probability of being wrong. The rating is the hard label.';

CREATE VIEW label_counts AS
SELECT
    step_labels.label_source,
    count(DISTINCT step_labels.solution_id) AS num_solutions,
    count(*) AS num_steps,
    count(*) FILTER (WHERE hard_labels.rating = 1) AS num_positive,
    count(*) FILTER (WHERE hard_labels.rating = 0) AS num_neutral,
    count(*) FILTER (WHERE hard_labels.rating = -1) AS num_negative,
    count(*) FILTER (WHERE hard_labels.rating IS NULL) AS num_undecided,
    CAST(sum(step_labels.num_rollouts) AS BIGINT) AS num_rollouts,
    CAST(sum(step_labels.num_truncated) AS BIGINT) AS num_truncated,
    CAST(sum(step_labels.num_ungraded) AS BIGINT) AS num_ungraded,
    CAST(sum(step_labels.cost_tokens) AS BIGINT) AS cost_tokens
FROM step_labels
JOIN hard_labels USING (solution_id, step_index, label_source)
GROUP BY step_labels.label_source;
COMMENT ON VIEW label_counts IS 'One row per label source: how many solutions and steps it labeled, with which hard labels, at what cost; rollouts of a shared prefix count once for each of its labels.';

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
    JOIN steps USING (solution_id, step_index)
    JOIN reward_models USING (reward_model_id)
    WHERE reward_models.kind = 'prm'
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
    SELECT solution_id, labeler, step_index, rating,
        min(step_index) FILTER (WHERE rating = -1) OVER (PARTITION BY solution_id, labeler) AS first_negative
    FROM rated
),
written AS (
    SELECT solution_id, count(*) AS num_steps FROM steps GROUP BY solution_id
)
SELECT solution_id, labeler,
    CAST(CASE
        WHEN count(rating) FILTER (WHERE step_index < coalesce(first_negative, num_steps))
            = coalesce(first_negative, num_steps)
        THEN coalesce(first_negative, -1)
    END AS INTEGER) AS first_error_index
FROM marks JOIN written USING (solution_id)
GROUP BY solution_id, labeler, first_negative, num_steps;
COMMENT ON VIEW person_first_errors IS 'One row per solution and person who rated any of its own steps: the first one rated wrong. Alternatives to a step do not count, nor do quality-control and screening questions.';
COMMENT ON COLUMN person_first_errors.solution_id IS 'The solution that was rated.';
COMMENT ON COLUMN person_first_errors.labeler IS 'Who rated it.';
COMMENT ON COLUMN person_first_errors.first_error_index IS 'Its index from 0; -1 where every step is rated and none wrong; NULL where a step without a rating comes before.';

CREATE VIEW first_error_opinions AS
SELECT solution_id, 'label_source' AS kind, label_source, first_error_index
FROM first_errors
WHERE label_source <> 'human' OR solution_id NOT IN (SELECT solution_id FROM person_first_errors)
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
    AND (one.label_source, one.kind) < (other.label_source, other.kind)
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
