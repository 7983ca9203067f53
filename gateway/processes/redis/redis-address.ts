export interface RedisNode {
  readonly host: string
  readonly port: number
}

/** The address of Redis, from `REDIS_URL`. */
export interface RedisAddress {
  readonly topology: 'single' | 'sentinel' | 'cluster'
  /** One server, the sentinels, or some nodes of the cluster. */
  readonly nodes: readonly [RedisNode, ...RedisNode[]]
  readonly isTls: boolean
  readonly username?: string
  readonly password?: string
  /** The sentinels' name of the server. */
  readonly masterName?: string
  readonly sentinelUsername?: string
  readonly sentinelPassword?: string
  readonly database: number
}

/** Error text for an unusable REDIS_URL. */
export const redisUrlRule =
  'must be redis://host:6379/0, redis+sentinel://host:26379,…/master/0 or redis+cluster://host:6379,… (rediss with TLS), with a user and password percent-encoded'

const form =
  /^(?<tls>rediss?)(?:\+(?<many>sentinel|cluster))?:\/\/(?:(?<user>[^@/?#]*)@)?(?<nodes>[^@/?#]+)(?<path>\/[^?#]*)?(?<query>\?[^#]*)?$/

/** Returns null for an unusable URL; see `redisUrlRule`. */
export function parseRedisUrl(url: string): RedisAddress | null {
  const { tls, many, user = '', nodes: nodeList = '', path = '', query = '' } = partsOf(url)
  const topology = many === 'sentinel' || many === 'cluster' ? many : 'single'
  const nodes = nodesOf(nodeList, topology === 'sentinel' ? 26_379 : 6379)
  const place = placeOf(path, topology)
  const login = loginOf(user)
  const sentinelLogin = sentinelLoginOf(query, topology)
  if (tls === undefined || !nodes || !place || !login || !sentinelLogin) return null
  if (topology === 'single' && nodes.length > 1) return null
  return { topology, nodes, isTls: tls === 'rediss', ...login, ...sentinelLogin, ...place }
}

function partsOf(url: string): Readonly<Record<string, string | undefined>> {
  return form.exec(url)?.groups ?? {}
}

function nodesOf(list: string, defaultPort: number): RedisAddress['nodes'] | null {
  const urls = list.split(',').map((node) => URL.parse(`redis://${node}`))
  const [first, ...others] = urls.flatMap((url) => {
    if (!url?.hostname || url.port === '0') return []
    const host = url.hostname.replace(/^\[|\]$/g, '')
    return { host, port: url.port === '' ? defaultPort : Number(url.port) }
  })
  return first && others.length + 1 === urls.length ? [first, ...others] : null
}

/**
 * The path has the database, which a cluster cannot choose. With sentinels, the server's name comes
 * first.
 */
function placeOf(
  path: string,
  topology: RedisAddress['topology'],
): Pick<RedisAddress, 'masterName' | 'database'> | null {
  const segments = path.split('/').slice(1)
  const masterName = topology === 'sentinel' ? (segments.shift() ?? '') : undefined
  const [number = '', ...others] = segments
  if (masterName !== undefined && !/^[\w.-]+$/.test(masterName)) return null
  if (others.length > 0 || !/^\d{0,5}$/.test(number)) return null
  if (topology === 'cluster' && Number(number) > 0) return null
  return { masterName, database: Number(number) }
}

function loginOf(user: string): Pick<RedisAddress, 'username' | 'password'> | null {
  const colon = user.indexOf(':')
  const [name, word] = colon < 0 ? [user, ''] : [user.slice(0, colon), user.slice(colon + 1)]
  const [username, password] = [decoded(name), decoded(word)]
  if (username === null || password === null) return null
  // Redis knows no user without a password.
  if (username !== '' && password === '') return null
  return { username: username || undefined, password: password || undefined }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function sentinelLoginOf(
  query: string,
  topology: RedisAddress['topology'],
): Pick<RedisAddress, 'sentinelUsername' | 'sentinelPassword'> | null {
  const params = new URLSearchParams(query)
  const names = [...params.keys()]
  const known = ['sentinel_username', 'sentinel_password']
  if (names.some((name) => !known.includes(name)) || new Set(names).size < names.length) return null
  if (names.length > 0 && topology !== 'sentinel') return null
  return {
    sentinelUsername: params.get('sentinel_username') || undefined,
    sentinelPassword: params.get('sentinel_password') || undefined,
  }
}
