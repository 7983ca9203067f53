import { account } from '../../../subgraphs/account/index.ts'
import { openDatabase } from '../../../subgraphs/shared/database/database.ts'
import type { Transaction } from '../../../subgraphs/shared/database/transaction.ts'
import type { TestDatabase } from './database.ts'

/** Runs transactions of the account subgraph, for what no request can cause. */
export interface AccountDatabase {
  transaction<Result>(
    accountId: string,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result>
  close(): Promise<void>
}

export async function openAccountDatabase(
  { serviceUrl }: TestDatabase,
  poolSize = 4,
): Promise<AccountDatabase> {
  const opened = await openDatabase(account, {
    url: serviceUrl,
    poolSize,
    timeoutMs: 30_000,
    warn: () => {},
  })
  return {
    transaction: (accountId, work) => opened.as(accountId).transaction(work),
    close: () => opened.close(),
  }
}
