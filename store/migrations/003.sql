-- Which split each file asked for a problem in, what is in both, and what was decided about it.
CREATE TABLE problem_roles (
    problem_id VARCHAR,
    asked_by   VARCHAR,
    split      VARCHAR NOT NULL CHECK (split IN ('train', 'test')),
    PRIMARY KEY (problem_id, asked_by)
);
COMMENT ON TABLE problem_roles IS 'One row per problem, and file or family that brought it: in which split it was asked for.';
COMMENT ON COLUMN problem_roles.problem_id IS 'The problem.';
COMMENT ON COLUMN problem_roles.asked_by IS 'File of problems or of labels, or the name of a family; a file''s last import counts.';
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
