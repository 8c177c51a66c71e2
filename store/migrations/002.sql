-- Rollouts know the grader that judged them; labels know what they rest on, and how sure they are. A second
-- grader audits the first.
ALTER TABLE rollouts RENAME TO rollouts_before;
CREATE TABLE rollouts (
    prefix_id      VARCHAR,
    completer_id   VARCHAR,
    rollout_index  INTEGER CHECK (rollout_index >= 0),
    completion     VARCHAR NOT NULL,
    finish_reason  VARCHAR,
    num_tokens     INTEGER CHECK (num_tokens >= 0),
    final_answer   VARCHAR,
    outcome        VARCHAR CHECK (outcome IN ('correct', 'incorrect', 'no_answer', 'truncated', 'grader_timeout')),
    grader_version VARCHAR,
    PRIMARY KEY (prefix_id, completer_id, rollout_index)
);
COMMENT ON TABLE rollouts IS 'One row per continuation of a prefix, sampled by a completer.';
COMMENT ON COLUMN rollouts.prefix_id IS 'Hash of the problem and the prefix; equal prefixes share their rollouts.';
COMMENT ON COLUMN rollouts.completer_id IS 'The sampler that wrote it.';
COMMENT ON COLUMN rollouts.rollout_index IS 'Which of the completer''s rollouts from this prefix, from 0.';
COMMENT ON COLUMN rollouts.completion IS 'The text after the prefix.';
COMMENT ON COLUMN rollouts.finish_reason IS 'Why the completer stopped: stop, or length where it was cut off.';
COMMENT ON COLUMN rollouts.num_tokens IS 'Number of tokens generated.';
COMMENT ON COLUMN rollouts.final_answer IS 'Answer found in prefix and completion; NULL where there is none.';
COMMENT ON COLUMN rollouts.outcome IS 'correct, incorrect, no_answer, truncated or grader_timeout; NULL until graded.';
COMMENT ON COLUMN rollouts.grader_version IS 'Version of the grader that set the outcome; NULL until graded.';
ALTER TABLE step_labels RENAME TO step_labels_before;
CREATE TABLE step_labels (
    solution_id   VARCHAR,
    step_index    INTEGER CHECK (step_index >= 0),
    label_source  VARCHAR,
    rating        INTEGER CHECK (rating IN (-1, 0, 1)),
    value         DOUBLE CHECK (value BETWEEN 0 AND 1),
    num_rollouts  INTEGER CHECK (num_rollouts >= 0),
    num_correct   INTEGER CHECK (num_correct >= 0),
    num_truncated INTEGER CHECK (num_truncated >= 0),
    num_ungraded  INTEGER CHECK (num_ungraded >= 0),
    value_low     DOUBLE CHECK (value_low BETWEEN 0 AND 1),
    value_high    DOUBLE CHECK (value_high BETWEEN 0 AND 1),
    p_wrong_low   DOUBLE CHECK (p_wrong_low BETWEEN 0 AND 1),
    p_wrong_high  DOUBLE CHECK (p_wrong_high BETWEEN 0 AND 1),
    has_signal    BOOLEAN,
    cost_tokens   BIGINT CHECK (cost_tokens >= 0),
    completer_id  VARCHAR,
    estimator     VARCHAR,
    PRIMARY KEY (solution_id, step_index, label_source),
    CHECK (p_wrong_low <= p_wrong_high)
);
COMMENT ON TABLE step_labels IS 'One row per step and label source: what one source says about one step.';
COMMENT ON COLUMN step_labels.solution_id IS 'The solution the step is part of.';
COMMENT ON COLUMN step_labels.step_index IS 'The step, from 0.';
COMMENT ON COLUMN step_labels.label_source IS 'Who says it: people, Monte-Carlo rollouts, the oracle, or a teacher.';
COMMENT ON COLUMN step_labels.rating IS '-1 wrong, 0 neutral, 1 right, where the source rates; NULL where it does not.';
COMMENT ON COLUMN step_labels.value IS 'Estimated probability, 0 to 1, that the solution can still end right after this step.';
COMMENT ON COLUMN step_labels.num_rollouts IS 'Rollouts sampled from the prefix that ends in this step, n.';
COMMENT ON COLUMN step_labels.num_correct IS 'Rollouts that reached the right answer, k.';
COMMENT ON COLUMN step_labels.num_truncated IS 'Rollouts cut off before an answer: neither right nor wrong.';
COMMENT ON COLUMN step_labels.num_ungraded IS 'Rollouts the grader did not judge in time: neither right nor wrong.';
COMMENT ON COLUMN step_labels.value_low IS 'Lower end of the interval of the value.';
COMMENT ON COLUMN step_labels.value_high IS 'Upper end of the interval of the value.';
COMMENT ON COLUMN step_labels.p_wrong_low IS 'Probability that this step or one before it is wrong: the lowest of three readings, without the undecided rollouts, as if all were right, as if all were wrong; NULL where the source infers none.';
COMMENT ON COLUMN step_labels.p_wrong_high IS 'The highest of the three readings; equal to p_wrong_low where all rollouts are decided.';
COMMENT ON COLUMN step_labels.has_signal IS 'False where the first error is open and no further rollouts were expected to tell anything about it.';
COMMENT ON COLUMN step_labels.cost_tokens IS 'Tokens sampled to learn this label.';
COMMENT ON COLUMN step_labels.completer_id IS 'The sampler whose rollouts it rests on.';
COMMENT ON COLUMN step_labels.estimator IS 'The estimator and its parameters, as JSON; NULL where the source is no estimate.';
CREATE TABLE grader_audits (
    ground_truth_answer VARCHAR,
    final_answer        VARCHAR,
    grader_version      VARCHAR,
    auditor             VARCHAR,
    verdict             VARCHAR NOT NULL CHECK (verdict IN ('equal', 'different', 'unparsable', 'timeout')),
    auditor_verdict     VARCHAR NOT NULL CHECK (auditor_verdict IN ('equal', 'different', 'unparsable', 'timeout')),
    is_agreeing         BOOLEAN,
    PRIMARY KEY (ground_truth_answer, final_answer, grader_version, auditor)
);
COMMENT ON TABLE grader_audits IS 'One row per verdict that a second grader judged again.';
COMMENT ON COLUMN grader_audits.ground_truth_answer IS 'The right answer, as the problem has it.';
COMMENT ON COLUMN grader_audits.final_answer IS 'The answer that was compared with it.';
COMMENT ON COLUMN grader_audits.grader_version IS 'Version of the grader whose verdict is audited.';
COMMENT ON COLUMN grader_audits.auditor IS 'The second grader with its version, such as math-verify 0.9.0.';
COMMENT ON COLUMN grader_audits.verdict IS 'What the grader said: equal, different or unparsable.';
COMMENT ON COLUMN grader_audits.auditor_verdict IS 'What the auditor said: equal, different, unparsable or timeout.';
COMMENT ON COLUMN grader_audits.is_agreeing IS 'Whether both say equal, or neither does; NULL where one ran out of time.';
INSERT INTO rollouts BY NAME SELECT * FROM rollouts_before;
INSERT INTO step_labels BY NAME SELECT * FROM step_labels_before;
DROP TABLE rollouts_before;
DROP TABLE step_labels_before;
