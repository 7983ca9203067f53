/** A program that connects to the tools, and how people set it up. */
export interface Program {
  readonly name: string
  readonly steps: readonly string[]
  /** The place of the snippet: a file or a command line. */
  readonly place: string
  /** What goes there; with a key, the program needs no sign-in. */
  readonly snippet: (address: string, key?: string) => string
  /** How a key is used, where it is not at the same place. */
  readonly keyPlace?: string
}

const server = 'credit-gateway'

/** Members of a configuration that send the key; none without a key. */
const headersOf = (key?: string) => key && { headers: { Authorization: `Bearer ${key}` } }

const json = (value: unknown) => JSON.stringify(value, null, 2)

/** The labels are those of the programs in November 2026. */
export const programs: readonly Program[] = [
  {
    name: 'Claude',
    steps: [
      'In Claude on the web or desktop, open Settings, then Connectors.',
      'Choose “Add custom connector”, paste the address, and choose Add.',
      'Choose Connect. Sign in here and set how much Claude may spend.',
    ],
    place: 'Claude Code: run this, then sign in with /mcp',
    keyPlace: 'Claude Code: run this',
    snippet: (address, key) => {
      const header = key ? ` \\\n  --header "Authorization: Bearer ${key}"` : ''
      return `claude mcp add --transport http ${server} ${address}${header}`
    },
  },
  {
    name: 'ChatGPT',
    steps: [
      'In ChatGPT on the web, open Settings, then Connectors (or Apps), then Advanced.',
      'Turn on developer mode, choose Create, and paste the address.',
      'Choose OAuth. Sign in here and set how much ChatGPT may spend.',
    ],
    place: 'Server address for ChatGPT',
    keyPlace: 'ChatGPT takes no key. For the OpenAI API, add this to “tools”',
    snippet: (address, key) =>
      key
        ? json({
            ...{ type: 'mcp', server_label: 'credit_gateway', server_url: address },
            ...{ authorization: key, require_approval: 'always' },
          })
        : address,
  },
  {
    name: 'VS Code',
    steps: [
      'Run “MCP: Open User Configuration” from the Command Palette.',
      'Add the server below and save the file.',
      'Choose Start above the server. Sign in here and set how much the agent may spend.',
    ],
    place: 'User configuration, mcp.json',
    snippet: (address, key) =>
      json({ servers: { [server]: { type: 'http', url: address, ...headersOf(key) } } }),
  },
  {
    name: 'Cursor',
    steps: [
      'Open the file ~/.cursor/mcp.json, or create it.',
      'Add the server below and save the file.',
      'In the MCP settings of Cursor, connect the server. Sign in here and set how much Cursor may spend.',
    ],
    place: '~/.cursor/mcp.json',
    snippet: (address, key) =>
      json({ mcpServers: { [server]: { url: address, ...headersOf(key) } } }),
  },
]
