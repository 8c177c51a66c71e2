-- Where does a score come from?
SELECT reward_model_id, base_model, base_sha256[:8] AS base_sha256, checkpoint_sha256[:8] AS checkpoint_sha256,
    config, label_sources, code_version
FROM score_lineage
WHERE solution_id = (SELECT min(solution_id) FROM scores)
QUALIFY row_number() OVER (PARTITION BY reward_model_id ORDER BY step_index) = 1
ORDER BY reward_model_id
