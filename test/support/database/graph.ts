import type { ExportOptions } from '../../../gateway/config/subgraph-settings.ts'
import type { ExecuteDocument } from '../../../gateway/internal/execute-document.ts'
import { type OpenGraph, openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import { startJobs } from '../../../gateway/launch/supergraph/jobs.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import type { InternalCaller, ServiceCaller } from '../../../schema/credentials/caller.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import type { Worker } from '../../../subgraphs/shared/jobs/jobs.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** The supergraph on a database of its own, without HTTP: for rules that are the graph's alone. */
export interface TestGraph {
  readonly database: TestDatabase
  /** Runs an operation as the facade asks for it, also with variables that are wrong. */
  asService(operation: OperationName, variables?: Record<string, unknown>): Promise<unknown>
  /** Runs an operation as an administrator asks for it. */
  asAdmin(operation: OperationName, variables?: Record<string, unknown>): Promise<unknown>
  /** Runs an operation as any caller asks for it. */
  readonly as: Execute
  /** Runs any document, as anybody. */
  readonly run: ExecuteDocument
  /** Each with its schema, to ask one alone. */
  readonly subgraphs: OpenGraph['subgraphs']
  /** Starts a worker, because no other process runs the jobs. */
  startWorker(): Promise<Worker>
  close(): Promise<void>
}

const base = { environment: 'live', requestId: 'req_test', traceId: '', address: null } as const
const service: ServiceCaller = { ...base, kind: 'service' }
export const admin: InternalCaller = {
  ...base,
  kind: 'internal',
  role: 'admin',
  tokenId: 'tok_test',
}

interface TestGraphOptions {
  /** One that the test has made: closing the graph drops it too. */
  readonly database?: TestDatabase
  readonly usageLogRetentionDays?: number
  readonly allowanceGraceDays?: number
  readonly exports?: ExportOptions
  /** Whether a mail server is set up. */
  readonly sendsMails?: boolean
  readonly warn?: (message: string) => void
}

export async function openTestGraph({
  database: given,
  usageLogRetentionDays,
  allowanceGraceDays,
  exports,
  sendsMails,
  warn = () => {},
}: TestGraphOptions = {}): Promise<TestGraph> {
  const database = given ?? (await createTestDatabase())
  const graph: OpenGraph = await openGraph({
    serviceUrl: database.serviceUrl,
    // A loaded machine is only slow.
    databaseTimeoutMs: 30_000,
    usageLogRetentionDays,
    gatewaySecret: 'a secret for tests, long enough to pass',
    keyPrefix: 'svc',
    baseUrls: { live: 'http://live.test', sandbox: 'http://sandbox.test' },
    docsUrl: 'http://docs.test',
    billing: { period: 'P1M', lowCreditsThresholds: [], allowanceGraceDays },
    oauth: {
      refreshGraceSeconds: 0,
      sessionHours: 12,
      stepUpMinutes: 30,
      sendsMails,
    },
    payments: { simulatesLive: true },
    invalidate: () => {},
    exports,
    warn,
  })
  return {
    database,
    asService: (operation, variables = {}) => graph.execute(operation, variables, service),
    asAdmin: (operation, variables = {}) => graph.execute(operation, variables, admin),
    as: graph.execute,
    run: graph.executeDocument,
    subgraphs: graph.subgraphs,
    startWorker: () =>
      startJobs({ workerUrl: database.serviceUrl, execute: graph.execute, warn: () => {} }),
    async close() {
      await graph.close()
      await database.drop()
    },
  }
}
