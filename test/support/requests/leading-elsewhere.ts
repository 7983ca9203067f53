/** Ids that lead to another path where a client or a proxy resolves the path that they stand in. */
export const leadingElsewhere: readonly string[] = [
  ...['.', '..', '%2e', '%2E%2e', '.%2e', '%2e.', '%252e%252e'],
  ...['../x', 'x/..', 'x/../..', './x', 'x/./y', '..\\x', '..%2fx', 'x%5C%2e%2e'],
]
