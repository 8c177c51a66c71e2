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
