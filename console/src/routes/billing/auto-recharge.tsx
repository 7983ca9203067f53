import { NativeSelect, Text } from '@mantine/core'
import type {
  Billing,
  CreditPackage,
  NextRecharge,
  AutoRecharge as State,
} from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Amount } from '../../components/figures.tsx'
import { AmountInput } from '../../components/forms/amount-input.tsx'
import { countOf, FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Money } from '../../components/money.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status, type Tone } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { creditsText, money } from '../../format/numbers.ts'
import { nameOf, usePaymentMethods } from './methods.tsx'

const states: Readonly<Record<State['state'], readonly [Tone, string]>> = {
  idle: ['good', 'ready'],
  pending: ['caution', 'a payment is in progress'],
  action_required: ['caution', 'a payment waits for you'],
  suspended: ['alert', 'suspended'],
}

type Dialog = 'settings' | 'off'

/** Buys a package by itself when credits run low. */
export function AutoRecharge({ billing }: { readonly billing: Billing }) {
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const { auto_recharge: state, credit_packages: packages } = billing
  const { enabled } = state
  return (
    <Card
      title="Auto-recharge"
      actions={
        <>
          <PermittedButton
            {...{ scope: 'billing:write', variant: 'default', size: 'xs' }}
            onClick={() => setDialog('settings')}
          >
            {enabled ? 'Change' : 'Turn on'}
          </PermittedButton>
          {enabled && (
            <PermittedButton
              {...{ scope: 'billing:write', variant: 'default', size: 'xs' }}
              onClick={() => setDialog('off')}
            >
              Turn off
            </PermittedButton>
          )}
        </>
      }
    >
      <div className="card-body">
        <RechargeFacts billing={billing} />
        {enabled && <Next />}
        {!enabled && (
          <p className="quiet small">
            When fewer credits are available than your threshold, the gateway buys a package with
            your default card.
          </p>
        )}
      </div>
      {dialog === 'settings' && (
        <Settings {...{ state, packages }} onClose={() => setDialog(null)} />
      )}
      {dialog === 'off' && <TurnOff onClose={() => setDialog(null)} />}
    </Card>
  )
}

const obstacles: Readonly<Record<NonNullable<NextRecharge['obstacle']>, string>> = {
  off: 'It is off.',
  under_way: 'A payment is in progress.',
  suspended: 'It has stopped. Turn it on again.',
  negative_balance: 'Your balance is negative, so it buys nothing. Buy credits yourself first.',
  payment_method: 'No card is stored. Buy a package with one.',
  package_id: 'Its package is not on sale any more. Choose another one.',
  monthly_cap: 'Your monthly cap is reached. Raise it, or wait for the next month.',
}

/** What it would do next, in one sentence. */
function Next() {
  const next = useRead<NextRecharge>(
    ['billing', 'next-recharge'],
    (options) => gateway.billing.getNextRecharge({}, options),
    { scopes: ['billing:read'], isLive: true, everyMs: 15_000 },
  )
  const methods = usePaymentMethods()
  const card = methods.data?.items.find((method) => method.default)
  if (!next.data) return null
  const { obstacle, below_credits, total_cents, credits, currency } = next.data
  const { spent_cents, earliest_at } = next.data
  const spent = <Money cents={spent_cents} currency={currency} />
  if (obstacle !== null || total_cents === null || below_credits === null || credits === null) {
    return (
      <p className="small" role="status">
        {obstacle && obstacles[obstacle]} You have spent {spent} on it this month.
      </p>
    )
  }
  return (
    <p className="small" role="status">
      Below {creditsText(below_credits)}, you will pay{' '}
      <Money cents={total_cents} currency={currency} /> {card && `with ${nameOf(card)} `}for{' '}
      {creditsText(credits)}
      {earliest_at && (
        <>
          , not before <Time at={earliest_at} />
        </>
      )}
      . You have spent {spent} on it this month.
    </p>
  )
}

function RechargeFacts({ billing }: { readonly billing: Billing }) {
  const { auto_recharge: state, credit_packages: packages } = billing
  const { enabled, threshold_credits, package_id, monthly_cap_cents } = state
  const bought = packages.find(({ id }) => id === package_id)
  const [tone, words] = enabled ? states[state.state] : (['quiet', 'off'] as const)
  return (
    <Facts
      facts={[
        [
          'State',
          <Status key="state" tone={tone}>
            {words}
          </Status>,
        ],
        [
          'Below',
          threshold_credits !== null && (
            <Amount key="below" value={threshold_credits} unit="credits" />
          ),
        ],
        ['Buys', bought ? `${bought.name}, ${creditsText(bought.credits)}` : package_id],
        [
          'Monthly cap',
          enabled &&
            (monthly_cap_cents === null ? (
              'none'
            ) : (
              <Money key="cap" cents={monthly_cap_cents} currency={currencyOf(packages)} />
            )),
        ],
        [
          'Last time',
          state.last_recharge_at && <Time key="last" at={state.last_recharge_at} as="relative" />,
        ],
        [
          'Problem',
          state.failure_reason && <span className="field-error">{state.failure_reason}</span>,
        ],
        [
          'Missing',
          state.missing.includes('payment_method') && 'a stored card: buy a package with one',
        ],
      ]}
    />
  )
}

function currencyOf([first]: readonly CreditPackage[]): string {
  return first?.currency ?? 'USD'
}

const readAgain = () => queries.invalidateQueries({ queryKey: ['billing'] })
const fields = ['threshold_credits', 'package_id', 'monthly_cap_cents']

interface SettingsProps {
  readonly state: State
  readonly packages: readonly CreditPackage[]
  readonly onClose: () => void
}

function Settings({ state, packages, onClose }: SettingsProps) {
  const currency = currencyOf(packages)
  const save = useAct(async (values: FormData) => {
    await acting.billing.configureAutoRecharge({
      enabled: true,
      threshold_credits: countOf(values, 'threshold_credits'),
      package_id: textOf(values, 'package_id') ?? null,
      monthly_cap_cents: countOf(values, 'monthly_cap_cents'),
    })
    await readAgain()
    onClose()
  })
  const errors = fieldErrors(save.problem)
  return (
    <FormDialog
      {...{ title: 'Auto-recharge', submit: state.enabled ? 'Save' : 'Turn on', onClose, fields }}
      {...{ isBusy: save.isBusy, problem: save.problem }}
      onSubmit={(values) => void save.run(values)}
    >
      <AmountInput
        {...{ name: 'threshold_credits', label: 'When fewer credits are available than' }}
        {...{ unit: 'credits', initial: state.threshold_credits, required: true }}
        {...{ 'data-autofocus': true, error: errors.threshold_credits }}
      />
      <NativeSelect
        {...{ name: 'package_id', label: 'Buy', error: errors.package_id }}
        defaultValue={state.package_id ?? ''}
        data={packages.map(({ id, name, credits, price_cents }) => ({
          value: id,
          label: `${name}: ${creditsText(credits)} for ${money({ cents: price_cents, currency })}`,
        }))}
      />
      <AmountInput
        {...{ name: 'monthly_cap_cents', label: `At most in a month, in ${currency}` }}
        {...{ unit: { currency }, initial: state.monthly_cap_cents }}
        {...{ description: 'If it is empty, there is no cap.', error: errors.monthly_cap_cents }}
      />
      <Text size="xs" c="dimmed">
        The default card is charged. After several failures in a row it is suspended until you turn
        it on again.
      </Text>
    </FormDialog>
  )
}

function TurnOff({ onClose }: { readonly onClose: () => void }) {
  const save = useAct(async () => {
    await acting.billing.configureAutoRecharge({ enabled: false })
    await readAgain()
    onClose()
  })
  return (
    <FormDialog
      {...{ title: 'Turn auto-recharge off', submit: 'Turn off', onClose, isDangerous: true }}
      {...{ isBusy: save.isBusy, problem: save.problem }}
      onSubmit={() => void save.run()}
    >
      <Text size="sm">
        The gateway buys nothing automatically any more. When the credits are used up, calls that
        cost credits are refused with 402.
      </Text>
    </FormDialog>
  )
}
