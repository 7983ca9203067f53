import { Text } from '@mantine/core'
import type { Plan, PlanPreview } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Amount } from '../../components/figures.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { Loading } from '../../components/list.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { tell } from '../../data/tell.ts'
import { creditsText, money } from '../../format/numbers.ts'
import { nameOf, usePaymentMethods } from './methods.tsx'
import { planName } from './plan-names.ts'

/** Reads again what a change of the plan changes. */
export async function readPlanAgain(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['billing'] })
  await queries.invalidateQueries({ queryKey: ['overview'] })
  await queries.invalidateQueries({ queryKey: ['credits'] })
}

interface ChangePlanProps {
  readonly tier: Plan['tier']
  readonly onClose: () => void
}

/** Shows what a change of the plan does and costs, and makes it with the amounts that are shown. */
export function ChangePlan({ tier, onClose }: ChangePlanProps) {
  // Each time the dialog is opened, and after a refusal, there is a new quote.
  const [opened, setOpened] = useState(() => Date.now())
  const preview = useRead<PlanPreview>(
    ['plan-preview', tier, opened],
    (options) => acting.subscription.previewPlan({ tier }, options),
    { scopes: ['billing:write'] },
  )
  const methods = usePaymentMethods()
  const card = methods.data?.items.find((method) => method.default)
  const { data } = preview
  const change = useAct(async () => {
    const { data: done } = await acting.subscription.changePlan({
      tier,
      ...(data?.quote_id && { quote_id: data.quote_id }),
    })
    if (done.action_url) location.assign(done.action_url)
    else await readPlanAgain()
    return done
  })
  const name = planName(tier)
  return (
    <FormDialog
      {...{ title: titleOf(data, name), submit: submitOf(data, card && nameOf(card)), onClose }}
      {...{
        isBusy: change.isBusy,
        problem: change.problem ?? preview.error,
        isReady: Boolean(data),
      }}
      onSubmit={async () => {
        const done = await change.run()
        if (!done) return setOpened(Date.now())
        // While the browser loads the page of the provider, this page does not change.
        if (done.action_url) return
        onClose()
        void tell(messageOf(done.status, done.kind, name))
      }}
    >
      {data ? <Effect preview={data} /> : !preview.error && <Loading what="the price" />}
    </FormDialog>
  )
}

function titleOf(preview: PlanPreview | undefined, name: string): string {
  switch (preview?.kind) {
    case 'upgrade':
      return `Upgrade to ${name}`
    case 'start':
      return `Start ${name}`
    case 'keep':
      return `Keep ${name}`
    default:
      return `Switch to ${name}`
  }
}

/** The button names the amount and the card: nothing is paid that was not shown. */
function submitOf(preview: PlanPreview | undefined, card: string | undefined): string {
  if (!preview) return 'Change plan'
  const { kind, total_cents: cents, currency } = preview
  if (kind === 'keep') return 'Keep plan'
  if (kind === 'downgrade') return 'Switch plan'
  if (cents === 0) return 'Change plan'
  return card
    ? `Pay ${money({ cents, currency })} with ${card}`
    : `Pay ${money({ cents, currency })}`
}

function Effect({ preview }: { readonly preview: PlanPreview }) {
  const { kind, tier, from_tier: from, renews_at: at, renewal_cents, currency } = preview
  const next = <Money cents={renewal_cents} currency={currency} />
  if (kind === 'keep') {
    return (
      <Text size="sm">
        You keep {planName(tier)} after this period, for {next} a month.
      </Text>
    )
  }
  if (kind === 'downgrade') {
    return (
      <Text size="sm">
        You keep {from && planName(from)} until <Time at={at} as="day" />. From then on you pay{' '}
        {next} a month for {creditsText(preview.monthly_credits)} and {preview.rate_limit_rps}{' '}
        requests per second. You pay nothing now.
      </Text>
    )
  }
  return (
    <>
      <Text size="sm">
        {kind === 'start'
          ? 'Your plan begins when you have paid.'
          : 'Your plan changes when you have paid. You pay for the rest of this period only.'}
      </Text>
      <Facts
        facts={[
          ['Price', <Money key="net" cents={preview.due_cents} currency={currency} />],
          ['Tax', <Money key="tax" cents={preview.tax_cents} currency={currency} />],
          [
            'Total now',
            <strong key="total">
              <Money cents={preview.total_cents} currency={currency} />
            </strong>,
          ],
          [
            'Credits now',
            <Amount key="credits" value={preview.granted_credits} unit="credits" isSigned />,
          ],
          ['Rate limit', `${preview.rate_limit_rps} requests per second`],
          ['From then on', <span key="next">{next} a month</span>],
          ['Next payment', <Time key="at" at={at} as="day" />],
        ]}
      />
      {preview.total_cents === 0 && (
        <Text size="sm">
          So little of the period is left that you pay nothing. The credits come with the next
          period.
        </Text>
      )}
    </>
  )
}

function messageOf(status: string, kind: string, name: string): string {
  if (status === 'pending_payment') return `${name} begins when your payment arrives.`
  if (status === 'scheduled') return `${name} begins with the next period.`
  return kind === 'keep' ? `You keep ${name}.` : `You are on ${name} now.`
}
