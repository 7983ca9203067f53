/**
 * Storage parameters of a table that grows, for `ALTER TABLE … SET (…)`: it is analyzed again after as many
 * changes as it has rows, and 20,000 more. Usually that is when a tenth is new, and a young table grows by a tenth each few
 * seconds; each time 30,000 rows are read.
 */
export const analyzeWhenDoubled =
  'autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 20000'
