import { Drawer, Title } from '@mantine/core'
import type { LedgerEntry, LedgerEntryPage, UsageLogEntry, UsageLogPage } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { gateway } from '../../api.ts'
import { AppLink } from '../../components/app-link.tsx'
import { Copyable, CopyButton } from '../../components/copy.tsx'
import { CustomerLink } from '../../components/customer-link.tsx'
import { Facts as FactList } from '../../components/facts.tsx'
import { Amount } from '../../components/figures.tsx'
import { KeyLink } from '../../components/key-link.tsx'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { HttpStatus } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useRead } from '../../data/read.ts'
import { serviceName } from '../../format/names.ts'
import { duration } from '../../format/numbers.ts'
import { gatewayUrl } from '../../place.ts'
import { Failure } from './failure.tsx'

interface RequestDrawerProps {
  readonly id: string
  /** The entry, if the list already has it. */
  readonly known: UsageLogEntry | null
  readonly onClose: () => void
}

/** Everything about one request. */
export function RequestDrawer({ id, known, onClose }: RequestDrawerProps) {
  const found = useRead<UsageLogPage>(
    ['usage', 'request', id],
    (options) => gateway.usage.listLog({ request_id: id, extended: true }, options),
    { scopes: ['usage:read'], isEnabled: known === null },
  )
  const entry = known ?? found.data?.items[0] ?? null
  return (
    <Drawer opened onClose={onClose} title={<Title order={2}>Request</Title>}>
      {found.error && <ProblemNotice error={found.error} retry={() => void found.refetch()} />}
      {!entry && found.isLoading && <Loading what="the request" />}
      {!entry && found.data && <p className="quiet">No request of this account has the id {id}.</p>}
      {entry && <Request entry={entry} />}
    </Drawer>
  )
}

function Request({ entry }: { readonly entry: UsageLogEntry }) {
  const ledger = useRead<LedgerEntryPage>(
    ['ledger', 'request', entry.request_id],
    (options) => gateway.account.listLedgerEntries({ request_id: entry.request_id }, options),
    { scopes: ['account:read'], isEnabled: entry.credits > 0 },
  )
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <HttpStatus key="status" status={entry.status} />],
    ['Time', <Time key="time" at={entry.ts} as="exact" />],
    ['Latency', duration(entry.latency_ms)],
    ['Credits', <Amount key="credits" value={entry.credits} />],
    ['Service', serviceName(entry.service)],
    ['Request ID', <Copyable key="id" text={entry.request_id} what="request id" />],
    ['Trace ID', <Copyable key="trace" text={entry.trace_id} what="trace id" />],
    ['API key', entry.key_id ? <KeyLink key="key" id={entry.key_id} /> : '–'],
    ...(entry.client_id
      ? [['OAuth app', <AppLink key="app" id={entry.client_id} />] as const]
      : []),
    ...(entry.external_id
      ? [['Customer', <CustomerLink key="customer" id={entry.external_id} />] as const]
      : []),
    ...optional('End user', entry.end_user),
  ]
  return (
    <div className="stack">
      <p className="mono">
        <b>{entry.method}</b> {entry.endpoint}
      </p>
      <Failure entry={entry} />
      <FactList facts={facts} />
      {entry.credits > 0 && (
        <section className="stack" aria-label="Ledger">
          <Title order={3}>Ledger</Title>
          {ledger.error && (
            <ProblemNotice error={ledger.error} retry={() => void ledger.refetch()} />
          )}
          {ledger.isLoading && <Loading what="the ledger entry" />}
          {ledger.data?.items.map((one) => (
            <LedgerLine key={one.id} entry={one} />
          ))}
          {ledger.data?.items.length === 0 && (
            <p className="quiet small">The ledger has no entry of this request.</p>
          )}
        </section>
      )}
      <section className="stack" aria-label="As curl">
        <div className="between">
          <Title order={3}>As curl</Title>
          <CopyButton text={curlOf(entry)} what="as curl" />
        </div>
        <pre className="code">{curlOf(entry)}</pre>
        <p className="quiet small">
          The log keeps neither the query nor the body of a request: add yours.
        </p>
      </section>
    </div>
  )
}

function optional(name: string, value: string | null | undefined) {
  return value ? [[name, value] as const] : []
}

function LedgerLine({ entry }: { readonly entry: LedgerEntry }) {
  return (
    <div className="between small">
      <span>
        {entry.kind} <span className="mono quiet">{entry.id}</span>
      </span>
      <span>
        <Amount value={entry.credits} isSigned unit="credits" />, balance{' '}
        <Amount value={entry.balance_after} />
      </span>
    </div>
  )
}

const withBody: readonly string[] = ['POST', 'PUT', 'PATCH']

/** The request as a command. The log has no bodies and no keys. */
function curlOf({ method, endpoint }: UsageLogEntry): string {
  const lines = [
    `curl -X ${method} '${gatewayUrl}${endpoint}'`,
    `  -H "Authorization: Bearer $GATEWAY_API_KEY"`,
    ...(withBody.includes(method) ? [`  -H 'content-type: application/json'`, `  -d '{}'`] : []),
  ]
  return lines.join(' \\\n')
}
