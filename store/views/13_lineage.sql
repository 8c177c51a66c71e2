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
