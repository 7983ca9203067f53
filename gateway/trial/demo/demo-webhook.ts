import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { everyScope } from '../../../schema/vocabulary/scopes.ts'
import { type DemoDelivery, writeDemoDeliveries } from '../../../subgraphs/account/index.ts'
import { inOwnerTransaction } from '../../../subgraphs/shared/database/owner-transaction.ts'
import type { Gateway } from '../../processes/all-in-one.ts'

interface WebhookOptions extends Pick<Gateway, 'graph'> {
  readonly ownerUrl: string
  readonly accountId: string
  /** Seals the answers of the receiver. */
  readonly gatewaySecret: string
}

const hourMs = 3_600_000
const attemptsOfEach = 3
const host = 'hooks.acme.example'
const answer = '{"error":"The database of the billing service does not answer."}'

/**
 * Creates a webhook endpoint whose newest messages have not arrived. The operation itself creates it, because the
 * address and the secret are sealed.
 */
export async function addFailingWebhook({
  graph,
  ownerUrl,
  accountId,
  gatewaySecret,
}: WebhookOptions): Promise<void> {
  const endpoint = {
    url: `https://${host}/credits`,
    events: ['credits.low', 'budget.threshold', 'invoice.paid', 'key.created'],
    description: 'Billing',
  }
  const { id } = await graph.execute('CreateWebhookEndpoint', endpoint, callerOf(accountId))
  await inOwnerTransaction(ownerUrl, (transaction) =>
    writeDemoDeliveries(transaction, {
      ...{ accountId, gatewaySecret, endpointId: id },
      deliveries: failedDeliveries(Date.now()),
    }),
  )
}

function callerOf(accountId: string): AccountCaller {
  const now = new Date().toISOString()
  return {
    ...{
      kind: 'account',
      environment: 'live',
      requestId: newId('req'),
      traceId: '',
      address: null,
    },
    ...{ accountId, keyId: null, scopes: [everyScope] },
    // The audit trail names who made it.
    session: {
      ...{ id: newId('ses'), role: 'OWNER', actor: 'ada@acme.example' },
      ...{ authTime: now, provenAt: now, isProofFresh: true },
      ...{ returnUrl: null, isFresh: false, signedInFor: null },
    },
  }
}

function failedDeliveries(nowMs: number): DemoDelivery[] {
  const events = [
    ['invoice.paid', { invoice_id: newId('inv'), credits: 10_000 }],
    ['budget.threshold', { external_id: 'northwind', percent: 80 }],
    ['budget.threshold', { external_id: 'tidewater', percent: 50 }],
    ['key.created', { name: 'Kestrel · trial' }],
  ] as const
  return events.map(([type, data], index) => {
    const atMs = nowMs - (20 - 4 * index) * hourMs
    const attempts = Array.from({ length: attemptsOfEach }, (_, attempt) => ({
      attemptedAt: new Date(atMs + attempt * 300_000).toISOString(),
      ...{ statusCode: 503, latencyMs: 210 + 35 * attempt, failure: 'http 503' },
    }))
    return { type, data, at: new Date(atMs), attempts: attempts.reverse(), host, answer }
  })
}
