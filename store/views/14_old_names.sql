-- Old names, for one version more: each says what it is called now.

CREATE VIEW person_first_errors AS
SELECT solution_id, labeler, first_error_index FROM labeler_first_errors;
COMMENT ON VIEW person_first_errors IS 'One row per solution and labeler: the old name of labeler_first_errors, which goes in the next version.';
