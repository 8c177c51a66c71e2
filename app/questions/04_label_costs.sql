-- What does a label cost?
SELECT * FROM label_costs ORDER BY label_source
