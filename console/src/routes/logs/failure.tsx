import { Button, Group, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Account, GetCreditsResponses, UsageLogEntry } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { adviceOf } from '../../../../schema/vocabulary/error-texts/error-advice.ts'
import { gateway } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Amount } from '../../components/figures.tsx'
import { useRead } from '../../data/read.ts'
import { integer } from '../../format/numbers.ts'
import { gatewayUrl } from '../../place.ts'

/** What went wrong with a request, and what to do now. */
export function Failure({ entry }: { readonly entry: UsageLogEntry }) {
  const { error_code: code, error_message: message } = entry
  if (!code) return null
  const advice = Object.hasOwn(adviceOf, code) && adviceOf[code as keyof typeof adviceOf]
  const page = code === 'RATE_LIMIT_EXCEEDED' ? 'rate-limits' : `errors/${code}`
  return (
    <section className="stack notice" data-kind="alert" aria-label="What went wrong">
      <Title order={3}>{message ?? code}</Title>
      {advice && <p>{isOfCall(entry) ? nextOfCall : advice.next}</p>}
      <Known entry={entry} />
      <Group gap="sm">
        <NextStep entry={entry} />
        <a href={`${gatewayUrl}/docs/${page}`} target="_blank" rel="noreferrer">
          About {code}
        </a>
      </Group>
    </section>
  )
}

/** Whether the call itself named the limit that refused it. */
function isOfCall({ error_details: details }: UsageLogEntry): boolean {
  return details?.layer === 'max_credits'
}

const nextOfCall = 'Send a higher max_credits, or ask for less at once.'

/** What the log knows of the failure, and the numbers of today that belong to it. */
function Known({ entry }: { readonly entry: UsageLogEntry }) {
  const { error_code: code, error_details: details } = entry
  const isPoor = code === 'INSUFFICIENT_CREDITS'
  const isTooFast = code === 'RATE_LIMIT_EXCEEDED'
  const credits = useRead<GetCreditsResponses[200]>(
    ['credits'],
    (options) => gateway.account.getCredits({}, options),
    { scopes: ['account:read'], isEnabled: isPoor },
  )
  const account = useRead<Account>(['account'], (options) => gateway.account.get({}, options), {
    ...{ scopes: ['account:read'], isEnabled: isTooFast },
  })
  const { fields = [], scope, layer, limit } = details ?? {}
  const byName = Map.groupBy(fields, ({ name }) => name)
  const facts: (readonly [string, ReactNode])[] = [...byName].map(([name, found]) => {
    const said = new Set(found.map(({ rule }) => rules[rule] ?? 'is not valid'))
    return [name === '?' ? 'A field that we do not know' : name, [...said].join(', ')]
  })
  if (scope) facts.push(['Missing scope', scope])
  if (layer) facts.push(['Refused by', layers[layer] ?? layer])
  if (typeof limit === 'number') {
    facts.push(['Limit', <Amount key="limit" value={limit} unit="credits" />])
  }
  // Other screens may have read both before.
  if (isPoor && credits.data) {
    facts.push([
      'Available now',
      <Amount key="now" value={credits.data.available} unit="credits" />,
    ])
  }
  if (isTooFast && account.data) {
    facts.push(['Your limit', `${integer(account.data.rate_limit_rps)} requests a second`])
  }
  return facts.length > 0 ? <Facts facts={facts} /> : null
}

const layers: Readonly<Record<string, string>> = {
  balance: 'The balance of the account',
  key: 'A budget of the API key',
  consent: 'A budget of the app',
  external_id: 'A budget of the customer',
  account: 'A budget of the account',
  max_credits: 'The max_credits of the call',
  module: 'The product',
}

const rules: Readonly<Record<string, string>> = {
  required: 'is missing',
  additionalProperties: 'is not known here',
  type: 'has the wrong type',
  enum: 'is not one of the allowed values',
  pattern: 'has the wrong form',
  format: 'has the wrong form',
  minLength: 'is too short',
  maxLength: 'is too long',
  minItems: 'has too few entries',
  maxItems: 'has too many entries',
  minimum: 'is too small',
  maximum: 'is too large',
}

/** The one button that leads on. */
function NextStep({ entry }: { readonly entry: UsageLogEntry }) {
  const { error_code: code, error_details: details, key_id: keyId, external_id: customer } = entry
  if (code === 'INSUFFICIENT_CREDITS') return <Step to="/billing">Buy credits</Step>
  if (code === 'PAYMENT_DECLINED') return <Step to="/billing/payment">Choose a card</Step>
  if (code !== 'BUDGET_EXCEEDED' || isOfCall(entry)) return null
  if (details?.layer === 'consent') return <Step to="/apps">Raise the budget</Step>
  if (details?.layer === 'key' && keyId) {
    return (
      <Step to="/keys/$keyId" params={{ keyId }}>
        Raise the budget
      </Step>
    )
  }
  if (details?.layer === 'external_id' && customer) {
    return (
      <Step to="/customers/$externalId" params={{ externalId: customer }}>
        Raise the budget
      </Step>
    )
  }
  return <Step to="/credits">Raise the budget</Step>
}

interface StepProps {
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly children: string
}

function Step({ to, params = {}, children }: StepProps) {
  return (
    <Button
      size="xs"
      renderRoot={(props) => <Link {...props} to={to as never} params={params as never} />}
    >
      {children}
    </Button>
  )
}
