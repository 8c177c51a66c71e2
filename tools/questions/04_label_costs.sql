-- What does a label cost, rollouts that labels share counted for each of them?
-- So cost_tokens is what the labels rest on, and more than what was sampled: that is in tokens_by_round.
SELECT * FROM label_costs ORDER BY label_source
