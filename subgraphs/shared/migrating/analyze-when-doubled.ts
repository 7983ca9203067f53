/**
 * Storage parameters of a table that only grows, for `ALTER TABLE … SET (…)`: it is analyzed again when it
 * has twice its rows. Usually that is when a tenth is new, and a young table grows by a tenth each few
 * seconds; each time 30,000 rows are read.
 */
export const analyzeWhenDoubled =
  'autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 20000'
