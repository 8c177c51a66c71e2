-- The data dictionary: every table, column, key and check of the store. docs/tables.md is made from it.
-- References between tables are audits, not foreign keys: DuckDB refuses to delete children and then
-- their parent in one transaction. The views are in views/.

-- One row per database: the version of these tables.
CREATE TABLE schema_version (
    version      INTEGER PRIMARY KEY,
    views_sha256 VARCHAR NOT NULL,
    created_at   TIMESTAMP NOT NULL
);
COMMENT ON TABLE schema_version IS 'One row per database: the version of these tables.';
COMMENT ON COLUMN schema_version.version IS 'Version of the tables; a Stepmark of another version refuses the file.';
COMMENT ON COLUMN schema_version.views_sha256 IS 'Hash of the files in views/; where it differs the views are made anew.';
COMMENT ON COLUMN schema_version.created_at IS 'When the database was made, UTC.';

-- One row per problem.
CREATE TABLE problems (
    problem_id            VARCHAR PRIMARY KEY,
    source                VARCHAR NOT NULL,
    split                 VARCHAR NOT NULL CHECK (split IN ('train', 'test')),
    subject               VARCHAR,
    level                 INTEGER CHECK (level BETWEEN 1 AND 5),
    problem               VARCHAR NOT NULL,
    ground_truth_solution VARCHAR,
    ground_truth_answer   VARCHAR,
    source_file           VARCHAR,
    source_line           INTEGER,
    generator             VARCHAR
);
COMMENT ON TABLE problems IS 'One row per problem.';
COMMENT ON COLUMN problems.problem_id IS 'Hash of the problem text without outer white space.';
COMMENT ON COLUMN problems.source IS 'Data set or family it came from: math, minimath, ...';
COMMENT ON COLUMN problems.split IS 'train or test; examples, rollouts for training and trained models never touch test.';
COMMENT ON COLUMN problems.subject IS 'Subject as the source names it.';
COMMENT ON COLUMN problems.level IS 'Difficulty from 1 (easy) to 5; NULL where the source says "Level ?".';
COMMENT ON COLUMN problems.problem IS 'Text of the problem, LaTeX allowed.';
COMMENT ON COLUMN problems.ground_truth_solution IS 'The solution that came with the problem.';
COMMENT ON COLUMN problems.ground_truth_answer IS 'The right answer, as the source writes it.';
COMMENT ON COLUMN problems.source_file IS 'File it was read from; NULL where it was generated, or by a Stepmark that did not keep it.';
COMMENT ON COLUMN problems.source_line IS 'Line of that file, or row of a table, from 1.';
COMMENT ON COLUMN problems.generator IS 'What generated it, as JSON: the family, and the seed it was drawn with; NULL where it was read from a file.';

-- One row per generator or completer: a model's weights with its sampling parameters.
CREATE TABLE samplers (
    sampler_id        VARCHAR PRIMARY KEY,
    model             VARCHAR NOT NULL,
    checkpoint_sha256 VARCHAR,
    sampling          VARCHAR NOT NULL,
    engine            VARCHAR NOT NULL,
    seed              BIGINT,
    code_version      VARCHAR NOT NULL,
    created_at        TIMESTAMP NOT NULL
);
COMMENT ON TABLE samplers IS 'One row per generator or completer: a model''s weights with its sampling parameters.';
COMMENT ON COLUMN samplers.sampler_id IS 'The generator_id of solutions, the completer_id of rollouts.';
COMMENT ON COLUMN samplers.model IS 'Name or folder of the model.';
COMMENT ON COLUMN samplers.checkpoint_sha256 IS 'Hash of the weights, configuration and tokenizer (recipe in docs/decisions/store.md); NULL where a server does not tell.';
COMMENT ON COLUMN samplers.sampling IS 'Sampling parameters as JSON: temperature, top_p, max_tokens, ...';
COMMENT ON COLUMN samplers.engine IS 'Engine that sampled, with its version.';
COMMENT ON COLUMN samplers.seed IS 'Seed of the engine.';
COMMENT ON COLUMN samplers.code_version IS 'Version of Stepmark that sampled first.';
COMMENT ON COLUMN samplers.created_at IS 'When it first sampled, UTC.';

-- One row per attempt at a problem, sampled by a generator or imported with its labels.
CREATE TABLE solutions (
    solution_id    VARCHAR PRIMARY KEY,
    problem_id     VARCHAR NOT NULL,
    source         VARCHAR NOT NULL,
    round          INTEGER CHECK (round >= 0),
    generator_id   VARCHAR,
    sampling       VARCHAR,
    sample_index   INTEGER CHECK (sample_index >= 0),
    solution       VARCHAR NOT NULL,
    finish_reason  VARCHAR,
    num_tokens     INTEGER CHECK (num_tokens >= 0),
    sum_logprob    DOUBLE CHECK (isfinite(sum_logprob)),
    min_logprob    DOUBLE CHECK (isfinite(min_logprob)),
    final_answer   VARCHAR,
    outcome        VARCHAR CHECK (outcome IN ('correct', 'incorrect', 'no_answer', 'truncated', 'grader_timeout')),
    grader_version VARCHAR,
    source_file    VARCHAR,
    source_line    INTEGER,
    CHECK (source <> 'sampled' OR (generator_id IS NOT NULL AND sample_index IS NOT NULL))
);
COMMENT ON TABLE solutions IS 'One row per attempt at a problem, sampled by a generator or imported with its labels.';
COMMENT ON COLUMN solutions.solution_id IS 'Hash of problem, generator and sample_index; of problem, source and text where imported.';
COMMENT ON COLUMN solutions.problem_id IS 'The problem it tries to solve.';
COMMENT ON COLUMN solutions.source IS 'sampled; the format of the file it was imported from: prm800k, processbench, ...; or alternative, a prefix with another next step that people rated.';
COMMENT ON COLUMN solutions.round IS 'Round it was sampled in, from 0.';
COMMENT ON COLUMN solutions.generator_id IS 'The sampler that wrote it; where imported, the name the file gives its model.';
COMMENT ON COLUMN solutions.sampling IS 'Sampling parameters as JSON; NULL where imported.';
COMMENT ON COLUMN solutions.sample_index IS 'Which of the generator''s samples for this problem, from 0.';
COMMENT ON COLUMN solutions.solution IS 'The whole text, as it was written.';
COMMENT ON COLUMN solutions.finish_reason IS 'Why the generator stopped: stop, or length where it was cut off.';
COMMENT ON COLUMN solutions.num_tokens IS 'Number of tokens generated.';
COMMENT ON COLUMN solutions.sum_logprob IS 'Sum of the log-probabilities (natural) of the generated tokens.';
COMMENT ON COLUMN solutions.min_logprob IS 'Lowest log-probability (natural) among the generated tokens.';
COMMENT ON COLUMN solutions.final_answer IS 'Answer found in the text; NULL where there is none.';
COMMENT ON COLUMN solutions.outcome IS 'correct, incorrect, no_answer, truncated or grader_timeout; NULL until graded.';
COMMENT ON COLUMN solutions.grader_version IS 'Version of the grader that set the outcome; NULL until graded, or where imported.';
COMMENT ON COLUMN solutions.source_file IS 'File it was imported from; NULL where sampled.';
COMMENT ON COLUMN solutions.source_line IS 'Line of that file, from 1.';

-- One row per pair of answers and grader version: the verdicts already given.
CREATE TABLE answer_verdicts (
    ground_truth_answer VARCHAR,
    final_answer        VARCHAR,
    grader_version      VARCHAR,
    verdict             VARCHAR NOT NULL CHECK (verdict IN ('equal', 'different', 'unparsable', 'timeout')),
    PRIMARY KEY (ground_truth_answer, final_answer, grader_version)
);
COMMENT ON TABLE answer_verdicts IS 'One row per pair of answers and grader version: the verdicts already given.';
COMMENT ON COLUMN answer_verdicts.ground_truth_answer IS 'The right answer, as the problem has it.';
COMMENT ON COLUMN answer_verdicts.final_answer IS 'The answer that was compared with it.';
COMMENT ON COLUMN answer_verdicts.grader_version IS 'Version of the grader that compared them.';
COMMENT ON COLUMN answer_verdicts.verdict IS 'equal, different, unparsable or timeout.';

-- One row per verdict that a second grader judged again.
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

-- One row per step of a solution; of an alternative only the last one, which is the alternative.
CREATE TABLE steps (
    solution_id VARCHAR,
    step_index  INTEGER CHECK (step_index >= 0),
    char_start  INTEGER NOT NULL CHECK (char_start >= 0),
    char_end    INTEGER NOT NULL,
    step        VARCHAR NOT NULL,
    PRIMARY KEY (solution_id, step_index),
    CHECK (char_end > char_start)
);
COMMENT ON TABLE steps IS 'One row per step of a solution; of an alternative only the last one, which is the alternative.';
COMMENT ON COLUMN steps.solution_id IS 'The solution it is part of.';
COMMENT ON COLUMN steps.step_index IS 'Place in the solution, from 0.';
COMMENT ON COLUMN steps.char_start IS 'Where its span starts in the solution, in Unicode code points from 0.';
COMMENT ON COLUMN steps.char_end IS 'One past the end of its span; spans touch and cover the solution.';
COMMENT ON COLUMN steps.step IS 'Text of the span without outer white space.';

-- One row per step, labeler and alternative: a rating as a person gave it.
CREATE TABLE human_labels (
    solution_id        VARCHAR,
    step_index         INTEGER CHECK (step_index >= 0),
    alternative_index  INTEGER CHECK (alternative_index >= 0),
    labeler            VARCHAR,
    completion         VARCHAR NOT NULL,
    is_human_written   BOOLEAN NOT NULL,
    rating             INTEGER CHECK (rating IN (-1, 0, 1)),
    chosen             BOOLEAN,
    flagged            BOOLEAN,
    phase              INTEGER,
    round              INTEGER,
    is_quality_control BOOLEAN,
    is_screening       BOOLEAN,
    finish_reason      VARCHAR,
    labeled_at         TIMESTAMP,
    duration_ms        BIGINT,
    source_file        VARCHAR,
    source_line        INTEGER CHECK (source_line >= 1),
    PRIMARY KEY (solution_id, step_index, alternative_index, labeler)
);
COMMENT ON TABLE human_labels IS 'One row per step, labeler and alternative: a rating as a person gave it.';
COMMENT ON COLUMN human_labels.solution_id IS 'The solution that was rated.';
COMMENT ON COLUMN human_labels.step_index IS 'The step, from 0.';
COMMENT ON COLUMN human_labels.alternative_index IS 'Which of the completions offered for this step, from 0.';
COMMENT ON COLUMN human_labels.labeler IS 'Who rated; the source''s own name for the person.';
COMMENT ON COLUMN human_labels.completion IS 'Text of the alternative that was rated.';
COMMENT ON COLUMN human_labels.is_human_written IS 'True where the labeler wrote the text, false where a generator did.';
COMMENT ON COLUMN human_labels.rating IS '-1 wrong, 0 neutral, 1 right; NULL where none was given.';
COMMENT ON COLUMN human_labels.chosen IS 'True where the labeler went on from this alternative.';
COMMENT ON COLUMN human_labels.flagged IS 'True where the labeler flagged it as unfit.';
COMMENT ON COLUMN human_labels.phase IS 'Phase of the labeling campaign.';
COMMENT ON COLUMN human_labels.round IS 'Round of the campaign; PRM800K calls it generation.';
COMMENT ON COLUMN human_labels.is_quality_control IS 'True where the question only checks the labeler.';
COMMENT ON COLUMN human_labels.is_screening IS 'True where the question only screens labelers.';
COMMENT ON COLUMN human_labels.finish_reason IS 'Why the labeling of the solution ended: solution, found_error, give_up, ...';
COMMENT ON COLUMN human_labels.labeled_at IS 'When it was rated, UTC.';
COMMENT ON COLUMN human_labels.duration_ms IS 'Time spent on the whole solution, in milliseconds.';
COMMENT ON COLUMN human_labels.source_file IS 'File it was imported from.';
COMMENT ON COLUMN human_labels.source_line IS 'Line of that file, from 1.';

-- One row per continuation of a prefix, sampled by a completer.
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

-- One row per step and label source: what one source says about one step.
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
    source_file   VARCHAR,
    source_line   INTEGER,
    code_version  VARCHAR,
    PRIMARY KEY (solution_id, step_index, label_source),
    CHECK (p_wrong_low <= p_wrong_high)
);
COMMENT ON TABLE step_labels IS 'One row per step and label source: what one source says about one step.';
COMMENT ON COLUMN step_labels.solution_id IS 'The solution the step is part of.';
COMMENT ON COLUMN step_labels.step_index IS 'The step, from 0.';
COMMENT ON COLUMN step_labels.label_source IS 'Who says it: people, Monte-Carlo rollouts, the oracle, or a teacher.';
COMMENT ON COLUMN step_labels.rating IS '-1 wrong, 0 neutral, 1 right, where the source rates; NULL where it does not.';
COMMENT ON COLUMN step_labels.value IS 'Estimated probability, 0 to 1, that the solution can still end right after this step.';
COMMENT ON COLUMN step_labels.num_rollouts IS 'Rollouts sampled from the prefix that ends in this step, n; 1 for the last step of a searched solution, which is that rollout itself: at no cost, and no row of rollouts.';
COMMENT ON COLUMN step_labels.num_correct IS 'Rollouts that reached the right answer, k.';
COMMENT ON COLUMN step_labels.num_truncated IS 'Rollouts cut off before an answer: neither right nor wrong.';
COMMENT ON COLUMN step_labels.num_ungraded IS 'Rollouts the grader did not judge in time: neither right nor wrong.';
COMMENT ON COLUMN step_labels.value_low IS 'Lower end of the interval of the value.';
COMMENT ON COLUMN step_labels.value_high IS 'Upper end of the interval of the value.';
COMMENT ON COLUMN step_labels.p_wrong_low IS 'Lowest probability that this step or one before it is wrong, over readings of undecided rollouts as left out, right or wrong; NULL where the source infers none.';
COMMENT ON COLUMN step_labels.p_wrong_high IS 'Highest probability that this step or one before it is wrong; equal to p_wrong_low where all rollouts are decided that were inferred from together.';
COMMENT ON COLUMN step_labels.has_signal IS 'False where the first error is open and no further rollouts were expected to tell anything about it.';
COMMENT ON COLUMN step_labels.cost_tokens IS 'Tokens sampled to learn this label.';
COMMENT ON COLUMN step_labels.completer_id IS 'The sampler whose rollouts it rests on.';
COMMENT ON COLUMN step_labels.estimator IS 'The estimator and its parameters, as JSON; NULL where the source is no estimate.';
COMMENT ON COLUMN step_labels.source_file IS 'File it was imported from; NULL where it was made here.';
COMMENT ON COLUMN step_labels.source_line IS 'Line of that file, from 1.';
COMMENT ON COLUMN step_labels.code_version IS 'Version of Stepmark that made or imported it.';

-- One row per solution the ORM trains on.
CREATE TABLE orm_examples (
    solution_id VARCHAR PRIMARY KEY,
    split       VARCHAR NOT NULL CHECK (split IN ('train', 'validation', 'test')),
    outcome     VARCHAR NOT NULL CHECK (outcome IN ('correct', 'incorrect', 'no_answer', 'truncated', 'grader_timeout')),
    target      DOUBLE NOT NULL CHECK (target BETWEEN 0 AND 1)
);
COMMENT ON TABLE orm_examples IS 'One row per solution the ORM trains on.';
COMMENT ON COLUMN orm_examples.solution_id IS 'The solution.';
COMMENT ON COLUMN orm_examples.split IS 'train, validation or test; all solutions of a problem share it.';
COMMENT ON COLUMN orm_examples.outcome IS 'Outcome the target was made from.';
COMMENT ON COLUMN orm_examples.target IS 'Target probability, 0 to 1, that the solution is right.';

-- One row per step and label source the PRM trains on.
CREATE TABLE prm_examples (
    solution_id     VARCHAR,
    step_index      INTEGER CHECK (step_index >= 0),
    label_source    VARCHAR,
    split           VARCHAR NOT NULL CHECK (split IN ('train', 'validation', 'test')),
    target_negative DOUBLE NOT NULL CHECK (target_negative BETWEEN 0 AND 1),
    target_neutral  DOUBLE NOT NULL CHECK (target_neutral BETWEEN 0 AND 1),
    target_positive DOUBLE NOT NULL CHECK (target_positive BETWEEN 0 AND 1),
    PRIMARY KEY (solution_id, step_index, label_source),
    CHECK (abs(target_negative + target_neutral + target_positive - 1) < 1e-6)
);
COMMENT ON TABLE prm_examples IS 'One row per step and label source the PRM trains on.';
COMMENT ON COLUMN prm_examples.solution_id IS 'The solution the step is part of.';
COMMENT ON COLUMN prm_examples.step_index IS 'The step, from 0.';
COMMENT ON COLUMN prm_examples.label_source IS 'The label source the target was made from.';
COMMENT ON COLUMN prm_examples.split IS 'train, validation or test; all solutions of a problem share it.';
COMMENT ON COLUMN prm_examples.target_negative IS 'Target probability of a wrong step.';
COMMENT ON COLUMN prm_examples.target_neutral IS 'Target probability of a neutral step.';
COMMENT ON COLUMN prm_examples.target_positive IS 'Target probability of a right step; the three add up to 1.';

-- One row per trained reward model.
CREATE TABLE reward_models (
    reward_model_id   VARCHAR PRIMARY KEY,
    kind              VARCHAR NOT NULL CHECK (kind IN ('orm', 'prm', 'likelihood')),
    round             INTEGER CHECK (round >= 0),
    base_model        VARCHAR NOT NULL,
    label_sources     VARCHAR[] NOT NULL,
    config            VARCHAR NOT NULL,
    checkpoint        VARCHAR NOT NULL CHECK (NOT starts_with(checkpoint, '/')),
    checkpoint_sha256 VARCHAR NOT NULL,
    metrics           VARCHAR NOT NULL,
    created_at        TIMESTAMP NOT NULL,
    base_sha256       VARCHAR,
    code_version      VARCHAR
);
COMMENT ON TABLE reward_models IS 'One row per trained reward model.';
COMMENT ON COLUMN reward_models.reward_model_id IS 'Names the model in scores and evaluations.';
COMMENT ON COLUMN reward_models.kind IS 'orm (speaks at the last step only), prm (speaks at every step), or likelihood (an untrained baseline).';
COMMENT ON COLUMN reward_models.round IS 'Round whose labels it trained on, from 0.';
COMMENT ON COLUMN reward_models.base_model IS 'Model the training started from.';
COMMENT ON COLUMN reward_models.label_sources IS 'Label sources it learned from.';
COMMENT ON COLUMN reward_models.config IS 'Training configuration as JSON, seed included.';
COMMENT ON COLUMN reward_models.checkpoint IS 'Folder of the checkpoint, relative to the home folder.';
COMMENT ON COLUMN reward_models.checkpoint_sha256 IS 'Hash of all files of the checkpoint (recipe in docs/decisions/store.md).';
COMMENT ON COLUMN reward_models.metrics IS 'What training measured, as JSON.';
COMMENT ON COLUMN reward_models.created_at IS 'When training ended, UTC.';
COMMENT ON COLUMN reward_models.base_sha256 IS 'Hash, by the same recipe, of the model the training started from; of the model itself where it is untrained.';
COMMENT ON COLUMN reward_models.code_version IS 'Version of Stepmark that trained it.';

-- One row per reward model and step it scored; an ORM scores the last step only.
CREATE TABLE scores (
    reward_model_id VARCHAR,
    solution_id     VARCHAR,
    step_index      INTEGER CHECK (step_index >= 0),
    p_negative      DOUBLE NOT NULL CHECK (p_negative BETWEEN 0 AND 1),
    p_neutral       DOUBLE NOT NULL CHECK (p_neutral BETWEEN 0 AND 1),
    p_positive      DOUBLE NOT NULL CHECK (p_positive BETWEEN 0 AND 1),
    PRIMARY KEY (reward_model_id, solution_id, step_index),
    CHECK (abs(p_negative + p_neutral + p_positive - 1) < 1e-3)
);
COMMENT ON TABLE scores IS 'One row per reward model and step it scored; an ORM scores the last step only.';
COMMENT ON COLUMN scores.reward_model_id IS 'The reward model.';
COMMENT ON COLUMN scores.solution_id IS 'The solution it read.';
COMMENT ON COLUMN scores.step_index IS 'The step, from 0.';
COMMENT ON COLUMN scores.p_negative IS 'Probability of a wrong step.';
COMMENT ON COLUMN scores.p_neutral IS 'Probability of a neutral step.';
COMMENT ON COLUMN scores.p_positive IS 'Probability of a right step; the three add up to 1.';

-- One row per selector with the models behind it, metric, N, slice and round.
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

-- One row per round and solution asked for in it.
CREATE TABLE labeling_queue (
    round       INTEGER CHECK (round >= 0),
    solution_id VARCHAR,
    strategy    VARCHAR NOT NULL,
    rank        INTEGER NOT NULL CHECK (rank >= 0),
    prm_score   DOUBLE CHECK (prm_score BETWEEN 0 AND 1),
    status      VARCHAR NOT NULL CHECK (status IN ('queued', 'labeled', 'skipped')),
    PRIMARY KEY (round, solution_id)
);
COMMENT ON TABLE labeling_queue IS 'One row per round and solution asked for in it.';
COMMENT ON COLUMN labeling_queue.round IS 'The round, from 0.';
COMMENT ON COLUMN labeling_queue.solution_id IS 'The solution to label.';
COMMENT ON COLUMN labeling_queue.strategy IS 'Why it was picked: convincing_wrong, random, ...';
COMMENT ON COLUMN labeling_queue.rank IS 'Place in the queue, from 0.';
COMMENT ON COLUMN labeling_queue.prm_score IS 'The PRM''s score of the solution when it was picked.';
COMMENT ON COLUMN labeling_queue.status IS 'queued, labeled or skipped.';

-- One row per refused input row and reason.
CREATE TABLE rejects (
    file   VARCHAR NOT NULL,
    line   INTEGER CHECK (line >= 1),
    reason VARCHAR NOT NULL,
    raw    VARCHAR NOT NULL
);
COMMENT ON TABLE rejects IS 'One row per refused input row and reason.';
COMMENT ON COLUMN rejects.file IS 'The file.';
COMMENT ON COLUMN rejects.line IS 'Line of the file, from 1; NULL where the whole file is refused.';
COMMENT ON COLUMN rejects.reason IS 'Why it was refused.';
COMMENT ON COLUMN rejects.raw IS 'The row as it stood, cut short.';

-- One row per problem, and file or family that brought it: in which split it was asked for.
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

-- One row per pair of a problem for training and a problem for testing with the same or nearly the same text.
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

-- One row per overlap that somebody decided to train in spite of.
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
