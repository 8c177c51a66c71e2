-- Where does a label come from?
SELECT label_source, completer_model, completer_sha256[:8] AS sha256, completer_seed, completer_engine,
    estimator, code_version, source_file, source_line, problem_generator
FROM label_lineage
WHERE step_index = 0
QUALIFY row_number() OVER (PARTITION BY label_source ORDER BY solution_id) = 1
ORDER BY label_source
