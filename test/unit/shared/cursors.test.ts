import { describe, expect, test } from 'vitest'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { cursorCodec, toPage } from '../../../subgraphs/shared/lists/pagination.ts'

const key = deriveKey('a secret for tests, long enough to pass', 'cursor')
const notOfThisList = expect.objectContaining({
  message: 'cursor: is not a cursor of this list',
  extensions: {
    code: 'INVALID_REQUEST',
    details: [{ field: 'cursor', in: 'query', message: 'is not a cursor of this list' }],
  },
})

describe('a cursor', () => {
  test('returns its position, and reveals nothing of it', () => {
    const cursors = cursorCodec(key, 'keys', 'acct_1/live')

    const cursor = cursors.encode('key_01m7wkd08se0088y3rz3jgpdqz')

    expect(cursor).toMatch(/^[\w-]+$/)
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('key_')
    expect(cursors.decode(cursor)).toBe('key_01m7wkd08se0088y3rz3jgpdqz')
    expect(cursors.encode('key_01m7wkd08se0088y3rz3jgpdqz')).not.toBe(cursor)
  })

  test('is refused when any bit of it is changed', () => {
    const cursors = cursorCodec(key, 'keys', 'acct_1/live')
    const bytes = Buffer.from(cursors.encode('position'), 'base64url')

    for (const index of bytes.keys()) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(bytes)
        changed[index] = (bytes[index] ?? 0) ^ (1 << bit)

        expect(() => cursors.decode(changed.toString('base64url'))).toThrow(notOfThisList)
      }
    }
  })

  test('is refused when it is cut, extended, or encoded differently', () => {
    const cursors = cursorCodec(key, 'keys', 'acct_1/live')
    const cursor = cursors.encode('position')

    for (let length = 0; length < cursor.length; length += 1) {
      expect(() => cursors.decode(cursor.slice(0, length))).toThrow(notOfThisList)
    }
    for (const text of [`${cursor}A`, `${cursor}=`, `${cursor} `, ` ${cursor}`, '\0', 'é']) {
      expect(() => cursors.decode(text)).toThrow(notOfThisList)
    }
  })

  test('is refused for another owner, another list, or with another secret', () => {
    const cursor = cursorCodec(key, 'keys', 'acct_1/live').encode('position')
    const otherKey = deriveKey('another secret for tests, long enough', 'cursor')

    for (const cursors of [
      cursorCodec(key, 'keys', 'acct_2/live'),
      cursorCodec(key, 'keys', 'acct_1/sandbox'),
      cursorCodec(key, 'usage-log', 'acct_1/live'),
      cursorCodec(key, 'keys/acct_1', 'live/'),
      cursorCodec(otherKey, 'keys', 'acct_1/live'),
      cursorCodec(
        deriveKey('a secret for tests, long enough to pass', 'signing-key'),
        'keys',
        'acct_1/live',
      ),
    ]) {
      expect(() => cursors.decode(cursor)).toThrow(notOfThisList)
    }
  })
})

describe('toPage', () => {
  const encodeLast = (item: number) => `after ${item}`

  test.each([
    { rows: [], limit: 2, page: { items: [], nextCursor: null } },
    { rows: [9], limit: 2, page: { items: [9], nextCursor: null } },
    { rows: [9, 8], limit: 2, page: { items: [9, 8], nextCursor: null } },
    { rows: [9, 8, 7], limit: 2, page: { items: [9, 8], nextCursor: 'after 8' } },
    { rows: [9, 8], limit: 1, page: { items: [9], nextCursor: 'after 9' } },
  ])('cuts $rows rows to $limit', ({ rows, limit, page }) => {
    expect(toPage<number>(rows, limit, encodeLast)).toEqual(page)
  })
})
