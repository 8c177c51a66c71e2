-- Evaluations are keyed by the models they are of, too, so that those of an older model stay beside the newer's.
ALTER TABLE evaluations RENAME TO evaluations_before;
CREATE TABLE evaluations (
    selector     VARCHAR,
    model_id     VARCHAR,
    metric       VARCHAR,
    n            INTEGER CHECK (n >= 0),
    slice        VARCHAR,
    round        INTEGER CHECK (round >= 0),
    value        DOUBLE CHECK (isfinite(value)),
    ci95_low     DOUBLE CHECK (isfinite(ci95_low)),
    ci95_high    DOUBLE CHECK (isfinite(ci95_high)),
    num_problems INTEGER NOT NULL CHECK (num_problems >= 0),
    is_current   BOOLEAN NOT NULL,
    PRIMARY KEY (selector, model_id, metric, n, slice, round)
);
COMMENT ON TABLE evaluations IS 'One row per selector with the models behind it, metric, N, slice and round.';
COMMENT ON COLUMN evaluations.selector IS 'What picks or judges: majority, a reward model, a likelihood, a label source, ...';
COMMENT ON COLUMN evaluations.model_id IS 'The reward_model_id behind the selector, of a difference both; where there is none, the selector itself.';
COMMENT ON COLUMN evaluations.metric IS 'What is measured: best_of_n, first_error_f1, ...';
COMMENT ON COLUMN evaluations.n IS 'The N of best-of-N; 0 where the metric has none.';
COMMENT ON COLUMN evaluations.slice IS 'The problems it is measured on: all, a subject, a level, ...';
COMMENT ON COLUMN evaluations.round IS 'Round it belongs to, from 0.';
COMMENT ON COLUMN evaluations.value IS 'The measured value; NULL where it could not be computed.';
COMMENT ON COLUMN evaluations.ci95_low IS 'Lower end of its 95% interval over problems.';
COMMENT ON COLUMN evaluations.ci95_high IS 'Upper end of its 95% interval over problems.';
COMMENT ON COLUMN evaluations.num_problems IS 'Number of problems measured.';
COMMENT ON COLUMN evaluations.is_current IS 'True for the figures of the last evaluation of their kind in their round; false where a later one took their place.';
-- The models were not kept; they are the newest of their names, for every evaluation replaced all before it.
CREATE TEMP TABLE newest AS
SELECT regexp_replace(reward_model_id, '-[0-9a-f]{8}$', '') AS name, arg_max(reward_model_id, created_at) AS id
FROM reward_models GROUP BY name;
INSERT INTO evaluations
WITH sides AS (
    SELECT *, unnest(string_split(selector, ' - ')) AS side, generate_subscripts(string_split(selector, ' - '), 1) AS place
    FROM evaluations_before
)
SELECT
    selector, string_agg(coalesce(whole.id, derived.id, side), ' - ' ORDER BY place), metric, n, slice, round,
    any_value(value), any_value(ci95_low), any_value(ci95_high), any_value(num_problems), true
FROM sides
LEFT JOIN newest AS whole ON whole.name = side
LEFT JOIN newest AS derived ON derived.name = regexp_replace(side, '_(weighted|min|mean|last)$', '')
GROUP BY selector, metric, n, slice, round;
DROP TABLE newest;
DROP TABLE evaluations_before;
COMMENT ON COLUMN schema_version.views_sha256 IS 'Hash of the files in views/; where it differs the views are made anew.';
