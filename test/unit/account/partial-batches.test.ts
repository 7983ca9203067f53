import 'reflect-metadata'
import { expect, test } from 'vitest'
import { reserveBatch } from '../../../subgraphs/account/holds/hold-batch.service.ts'
import type { Database } from '../../../subgraphs/shared/database/database.ts'
import {
  RefusedUnsent,
  SilentDatabase,
} from '../../../subgraphs/shared/database/health/silence-watch.ts'

/** Runs the statements of these names; all others are not sent. */
function databaseOf(sent: Readonly<Record<string, readonly object[]>>): Database {
  const view = {
    async query({ name }: { readonly name: string }) {
      const rows = sent[name]
      if (!rows) throw new RefusedUnsent(new SilentDatabase())
      return rows
    },
  }
  return { as: () => view } as unknown as Database
}

const batch = {
  requestIds: ['req_1', 'req_2'],
  accountIds: ['acct_1', 'acct_2'],
  environments: Array(2).fill('live'),
  credits: [1, 1],
  endpoints: ['/t', '/t'],
  calls: ['[]', '[]'],
  ttlSeconds: 60,
}
const keyed = { ...batch, keyHashes: [null, 'a'], requestHashes: [null, 'b'], keyTtlSeconds: 60 }
const spending = { ...batch, spenders: [[], ['key_1']], counts: [1, 1], isApart: true }

test.each([
  ['a request with a key behind one without', keyed, { 'reserve-credits-plain': [] }],
  [
    'a request without budgets behind one with',
    spending,
    { 'reserve-credits-in-budgets': [{ place: 1, verdict: 'accepted', available: 1 }] },
  ],
])(
  'ReserveBatch: a part that was not sent fails a batch that was, so that its holds are released: %s',
  async (_, asked, sent) => {
    await expect(reserveBatch(databaseOf(sent), asked)).rejects.toBeInstanceOf(SilentDatabase)
    await expect(reserveBatch(databaseOf({}), asked)).rejects.toBeInstanceOf(RefusedUnsent)
  },
)
