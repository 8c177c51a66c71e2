-- How often is each family of problems solved?
SELECT family, level, sum(num_problems) AS num_problems, sum(num_correct) / sum(num_decided) AS pass_rate
FROM pass_rates_by_subject
WHERE source = 'minimath'
GROUP BY family, level ORDER BY pass_rate, family, level LIMIT 8
