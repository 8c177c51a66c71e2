-- Labelers: what they rate alike, and how well.

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
