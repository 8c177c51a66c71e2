-- Input files: what of them was refused.

CREATE VIEW rejects_by_reason AS
SELECT
    file, regexp_replace(reason, '\d+', 'N', 'g') AS reason,
    count(*) AS num_rows, min(line) AS first_line, any_value(reason) AS example
FROM rejects
GROUP BY ALL;
COMMENT ON VIEW rejects_by_reason IS 'One row per file and reason, numbers in it aside: how many of its rows were refused for it.';
COMMENT ON COLUMN rejects_by_reason.reason IS 'The reason with N for every number.';
COMMENT ON COLUMN rejects_by_reason.example IS 'One of the reasons, word for word.';
