-- What was refused, and why?
SELECT file, reason, num_rows, first_line FROM rejects_by_reason ORDER BY num_rows DESC, file, reason
