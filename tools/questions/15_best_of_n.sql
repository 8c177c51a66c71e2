-- Which selector picks best of N samples?
SELECT selector, n, value, ci95_low, ci95_high, num_problems FROM best_of_n ORDER BY n DESC, value DESC, selector LIMIT 6
