-- How many tokens did each round take?
SELECT * FROM tokens_by_round ORDER BY round
