import { expect, test } from 'vitest'
import { connectTimeoutMs } from '../../../subgraphs/shared/database/health/connect-timeout.ts'

test.each([
  ['no connect_timeout', '', 2000],
  ['five seconds', '?connect_timeout=5', 5000],
  ['libpq’s word for no limit', '?connect_timeout=0', 2000],
  ['an hour', '?connect_timeout=3600', 60_000],
  ['no number', '?connect_timeout=soon', 2000],
])('a URL with %s has statements wait within the limit', (_, query, expectedMs) => {
  expect(connectTimeoutMs(`postgres://gateway@db:5432/gateway${query}`)).toBe(expectedMs)
})
