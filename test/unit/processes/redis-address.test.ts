import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../../gateway/config/config.ts'
import { parseRedisUrl, redisUrlRule } from '../../../gateway/processes/redis/redis-address.ts'

const single = { topology: 'single', isTls: false, database: 0 } as const

describe('REDIS_URL', () => {
  test.each([
    ['redis://cache', { ...single, nodes: [{ host: 'cache', port: 6379 }] }],
    ['redis://cache:7000/', { ...single, nodes: [{ host: 'cache', port: 7000 }] }],
    ['redis://[::1]:7000/3', { ...single, nodes: [{ host: '::1', port: 7000 }], database: 3 }],
    ['rediss://cache', { ...single, isTls: true, nodes: [{ host: 'cache', port: 6379 }] }],
    [
      'redis://:p%40ss@cache',
      { ...single, nodes: [{ host: 'cache', port: 6379 }], password: 'p@ss' },
    ],
    [
      'redis://user:a:b,c@cache',
      { ...single, nodes: [{ host: 'cache', port: 6379 }], username: 'user', password: 'a:b,c' },
    ],
    [
      'redis+sentinel://user:pass@one,two:5000/main/2?sentinel_username=guard&sentinel_password=p%26w',
      {
        topology: 'sentinel',
        isTls: false,
        nodes: [
          { host: 'one', port: 26_379 },
          { host: 'two', port: 5000 },
        ],
        username: 'user',
        password: 'pass',
        masterName: 'main',
        database: 2,
        sentinelUsername: 'guard',
        sentinelPassword: 'p&w',
      },
    ],
    [
      'rediss+cluster://one:7001,[::1]:7002/0',
      {
        topology: 'cluster',
        isTls: true,
        nodes: [
          { host: 'one', port: 7001 },
          { host: '::1', port: 7002 },
        ],
        database: 0,
      },
    ],
  ])('%s is accepted', (url, address) => {
    expect(parseRedisUrl(url)).toEqual(address)
  })

  test.each([
    'cache:6379',
    'http://cache',
    'redis://',
    'redis://one,two',
    'redis://cache:0',
    'redis://cache:70000',
    'redis://cache/main',
    'redis://cache/0/1',
    'redis://cache?family=6',
    'redis://user@cache',
    'redis://:%zz@cache',
    'redis://:p@ss@cache',
    'redis+sentinel://one',
    'redis+sentinel://one/',
    'redis+sentinel://one,/main',
    'redis+sentinel://one/main?password=x',
    'redis+cluster://one/1',
    'redis+cluster://one?sentinel_password=x',
    'redis+other://one',
  ])('%s is refused, and not repeated in the log', (url) => {
    expect(() => readConfig({ REDIS_URL: url }, [])).toThrow(
      new ConfigError(`REDIS_URL ${redisUrlRule}`),
    )
  })
})
