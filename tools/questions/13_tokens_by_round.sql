-- How many tokens did each round take?
-- Each solution and each rollout counts once, however many labels rest on it.
SELECT * FROM tokens_by_round ORDER BY round
