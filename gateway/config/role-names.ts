/** The subgraphs. The PostgreSQL schema of a subgraph has the same name. */
export const subgraphNames: readonly string[] = ['account', 'keys', 'oauth', 'usage']

/** The role of the command line, which serves no requests and collects no payments. */
export const commandRole = 'command'

/** The roles of a process; `all` has all others, with the simulator as a part of the facade. */
export const roleNames: readonly string[] = [
  'all',
  'facade',
  ...subgraphNames,
  'supergraph',
  'worker',
  'simulator',
]
