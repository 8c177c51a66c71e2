-- Which split each file asked for a problem in, what is in both, and what was decided about it.
CREATE TABLE problem_roles (
    problem_id VARCHAR,
    asked_by   VARCHAR,
    split      VARCHAR NOT NULL CHECK (split IN ('train', 'test')),
    PRIMARY KEY (problem_id, asked_by)
);
COMMENT ON TABLE problem_roles IS 'One row per problem, and file or family that brought it: in which split it was asked for.';
COMMENT ON COLUMN problem_roles.problem_id IS 'The problem.';
COMMENT ON COLUMN problem_roles.asked_by IS 'Full path of a file of problems or of labels, or the name of a family; a file''s last import counts.';
COMMENT ON COLUMN problem_roles.split IS 'train or test, as the file or who imported it said; problems.split is what holds.';
CREATE TABLE problem_overlaps (
    trained_problem_id   VARCHAR,
    evaluated_problem_id VARCHAR,
    kind                 VARCHAR NOT NULL CHECK (kind IN ('exact', 'normalised', 'ngram')),
    share                DOUBLE NOT NULL CHECK (share > 0 AND share <= 1),
    excerpt              VARCHAR NOT NULL,
    PRIMARY KEY (trained_problem_id, evaluated_problem_id)
);
COMMENT ON TABLE problem_overlaps IS 'One row per pair of a problem for training and a problem for testing with the same or nearly the same text.';
COMMENT ON COLUMN problem_overlaps.trained_problem_id IS 'The problem for training.';
COMMENT ON COLUMN problem_overlaps.evaluated_problem_id IS 'The problem for testing; the same one where it was asked for in both splits.';
COMMENT ON COLUMN problem_overlaps.kind IS 'exact, normalised (equal but for case, white space, punctuation, spelling of LaTeX) or ngram (runs of words).';
COMMENT ON COLUMN problem_overlaps.share IS 'Share of the n-grams of the one with fewer that the other has too; 1 unless ngram.';
COMMENT ON COLUMN problem_overlaps.excerpt IS 'What both have: the start of the text, or the longest run of words.';
CREATE TABLE leak_decisions (
    trained_problem_id   VARCHAR,
    evaluated_problem_id VARCHAR,
    kind                 VARCHAR NOT NULL CHECK (kind IN ('exact', 'normalised', 'ngram')),
    share                DOUBLE NOT NULL CHECK (share > 0 AND share <= 1),
    decided_by           VARCHAR,
    decided_through      VARCHAR NOT NULL,
    decided_at           TIMESTAMP NOT NULL,
    PRIMARY KEY (trained_problem_id, evaluated_problem_id)
);
COMMENT ON TABLE leak_decisions IS 'One row per overlap that somebody decided to train in spite of.';
COMMENT ON COLUMN leak_decisions.trained_problem_id IS 'The problem trained on.';
COMMENT ON COLUMN leak_decisions.evaluated_problem_id IS 'The problem evaluated on.';
COMMENT ON COLUMN leak_decisions.kind IS 'exact, normalised or ngram, when it was decided.';
COMMENT ON COLUMN leak_decisions.share IS 'Share of n-grams in common, when it was decided.';
COMMENT ON COLUMN leak_decisions.decided_by IS 'Name of the user whose run allowed it; NULL where the system does not tell.';
COMMENT ON COLUMN leak_decisions.decided_through IS 'How: --allow-leak, or the profile.';
COMMENT ON COLUMN leak_decisions.decided_at IS 'When it was first allowed, UTC.';
INSERT INTO problem_roles SELECT problem_id, source, split FROM problems;

-- Lineage: problems, solutions and labels know the file and line they came from, or what generated them; labels
-- and reward models know the code that made them, reward models the weights they started from. What was not
-- kept is unknown.
ALTER TABLE problems ADD COLUMN source_file VARCHAR;
ALTER TABLE problems ADD COLUMN source_line INTEGER;
ALTER TABLE problems ADD COLUMN generator VARCHAR;
COMMENT ON COLUMN problems.source_file IS 'File it was read from; NULL where it was generated, or by a Stepmark that did not keep it.';
COMMENT ON COLUMN problems.source_line IS 'Line of that file, or row of a table, from 1.';
COMMENT ON COLUMN problems.generator IS 'What generated it, as JSON: the family, and the seed it was drawn with; NULL where it was read from a file.';
ALTER TABLE solutions ADD COLUMN source_file VARCHAR;
ALTER TABLE solutions ADD COLUMN source_line INTEGER;
COMMENT ON COLUMN solutions.source_file IS 'File it was imported from; NULL where sampled.';
COMMENT ON COLUMN solutions.source_line IS 'Line of that file, from 1.';
ALTER TABLE step_labels ADD COLUMN source_file VARCHAR;
ALTER TABLE step_labels ADD COLUMN source_line INTEGER;
ALTER TABLE step_labels ADD COLUMN code_version VARCHAR;
COMMENT ON COLUMN step_labels.source_file IS 'File it was imported from; NULL where it was made here.';
COMMENT ON COLUMN step_labels.source_line IS 'Line of that file, from 1.';
COMMENT ON COLUMN step_labels.code_version IS 'Version of Stepmark that made or imported it.';
ALTER TABLE reward_models ADD COLUMN base_sha256 VARCHAR;
ALTER TABLE reward_models ADD COLUMN code_version VARCHAR;
COMMENT ON COLUMN reward_models.base_sha256 IS 'Hash of the weights of the model the training started from; of the model itself where it is untrained.';
COMMENT ON COLUMN reward_models.code_version IS 'Version of Stepmark that trained it.';
UPDATE reward_models SET base_sha256 = coalesce(
    CASE WHEN json_valid(config) THEN json_extract_string(config, '$.base_sha256') END,
    CASE kind WHEN 'likelihood' THEN checkpoint_sha256 END
);
COMMENT ON COLUMN solutions.source IS 'sampled; the format of the file it was imported from: prm800k, processbench, ...; or alternative, a prefix with another next step that people rated.';

COMMENT ON COLUMN step_labels.p_wrong_low IS 'Lowest probability that this step or one before it is wrong, over readings of undecided rollouts as left out, right or wrong; NULL where the source infers none.';
COMMENT ON COLUMN step_labels.p_wrong_high IS 'Highest probability that this step or one before it is wrong; equal to p_wrong_low where all rollouts are decided that were inferred from together.';
