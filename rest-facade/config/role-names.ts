/** Also the names of their PostgreSQL schemas. */
export const subgraphNames: readonly string[] = ['account', 'keys', 'oauth', 'usage']

/** What the command line is, beside the roles that are started: it serves nobody and collects nothing. */
export const commandRole = 'command'

/** What a process can be; `all` is all of it but `simulator`, which is a part of `facade` too. */
export const roleNames: readonly string[] = [
  'all',
  'facade',
  ...subgraphNames,
  'supergraph',
  'worker',
  'simulator',
]
