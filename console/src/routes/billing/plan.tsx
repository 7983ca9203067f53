import type { Plan, PlanList, Subscription } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Money } from '../../components/money.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { type Act, useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { creditsText, integer } from '../../format/numbers.ts'
import { Cancel } from './cancel.tsx'
import { ChangePlan, readPlanAgain } from './change-plan.tsx'
import { Entitlement } from './entitlement.tsx'
import { PayLink } from './packages.tsx'
import { planName } from './plan-names.ts'

/** The plan of the account, and the plans that it could have. */
export function PlanCard() {
  const plans = useRead<PlanList>(
    ['billing', 'plans'],
    (options) => gateway.billing.listPlans({}, options),
    { scopes: ['billing:read'], isLive: true },
  )
  const [isCanceling, setCanceling] = useState(false)
  const [chosen, setChosen] = useState<Plan['tier'] | null>(null)
  const resume = useAct(async () => {
    await acting.subscription.resume()
    await readPlanAgain()
  })
  const { data } = plans
  if (!data) {
    return (
      <Card title="Plan">
        <Unread read={plans} what="the plans" />
      </Card>
    )
  }
  const { subscription } = data
  const live = subscription && subscription.status !== 'canceled' ? subscription : null
  return (
    <Card
      title="Plan"
      actions={live && <Stop live={live} resume={resume} onCancel={() => setCanceling(true)} />}
    >
      <div className="card-body">
        {resume.problem && <ProblemNotice error={resume.problem} />}
        {live ? <PlanFacts subscription={live} /> : <NoPlan hasEnded={subscription !== null} />}
        <PendingChange list={data} onKeep={() => setChosen(live?.tier ?? null)} />
        {data.contact_url && (
          <p className="small">
            To change your plan, <a href={data.contact_url}>contact us</a>.
          </p>
        )}
      </div>
      <Plans {...{ list: data, live }} onChoose={setChosen} />
      {isCanceling && live && (
        <Cancel
          {...{ title: 'Cancel plan', keep: 'Keep plan', onClose: () => setCanceling(false) }}
          act={() => acting.subscription.cancel()}
        >
          You keep {planName(live.tier)} until <Time at={live.current_period_end} as="day" />. Then
          its {integer(live.monthly_credits)} monthly credits and its higher rate limit end. You can
          resume it until that day.
        </Cancel>
      )}
      {chosen && <ChangePlan tier={chosen} onClose={() => setChosen(null)} />}
    </Card>
  )
}

interface StopProps {
  readonly live: Subscription
  readonly resume: Act<void, void>
  readonly onCancel: () => void
}

/** Cancels the plan, or resumes it. */
function Stop({ live, resume, onCancel }: StopProps) {
  if (live.status === 'active') {
    return (
      <PermittedButton
        {...{ scope: 'account:write', variant: 'default', size: 'xs' }}
        onClick={onCancel}
      >
        Cancel plan
      </PermittedButton>
    )
  }
  return (
    <PermittedButton
      {...{ scope: 'account:write', size: 'xs', loading: resume.isBusy }}
      onClick={() => void resume.run()}
    >
      Resume plan
    </PermittedButton>
  )
}

function NoPlan({ hasEnded }: { readonly hasEnded: boolean }) {
  return (
    <p className="quiet" role="status">
      {hasEnded ? 'Your plan has ended.' : 'You have no plan.'} You can use the credits that you
      bought. Choose a plan for monthly credits and a higher rate limit.
    </p>
  )
}

function PlanFacts({ subscription }: { readonly subscription: Subscription }) {
  const { tier, status, current_period_end: end } = subscription
  return (
    <Facts
      facts={[
        ['Plan', planName(tier)],
        ['State', <Entitlement key="state" status={status} />],
        [status === 'active' ? 'Renews' : 'Ends', <Time key="end" at={end} as="day" />],
      ]}
    />
  )
}

interface PendingChangeProps {
  readonly list: PlanList
  readonly onKeep: () => void
}

/** A change that has not taken effect, and what the person can do about it. */
function PendingChange({ list, onKeep }: PendingChangeProps) {
  const { pending_change: change, subscription } = list
  if (!change) return null
  if (change.status === 'pending_payment') {
    return (
      <div className="notice" data-kind="caution" role="status">
        {planName(change.tier)} begins when your payment arrives.{' '}
        {change.action_url && <PayLink url={change.action_url} label="Continue to payment" />}
      </div>
    )
  }
  return (
    <div className="notice" data-kind="plain" role="status">
      {planName(change.tier)} begins{' '}
      {change.effective_at && <Time at={change.effective_at} as="day" />}.{' '}
      {subscription && (
        <PermittedButton
          {...{ scope: 'billing:write', variant: 'default', size: 'xs' }}
          onClick={onKeep}
        >
          {`Keep ${planName(subscription.tier)}`}
        </PermittedButton>
      )}
    </div>
  )
}

interface PlansProps {
  readonly list: PlanList
  readonly live: Subscription | null
  readonly onChoose: (tier: Plan['tier']) => void
}

function Plans({ list, live, onChoose }: PlansProps) {
  const { plans, currency, pending_change: change, contact_url } = list
  const present = plans.findIndex(({ tier }) => tier === live?.tier)
  const verbOf = (index: number) =>
    live === null ? 'Start' : index > present ? 'Upgrade to' : 'Switch to'
  // A higher plan waits until nothing else is scheduled.
  const isSettled = change === null && live?.status !== 'scheduled_to_cancel'
  const isOffered = (tier: Plan['tier'], index: number) =>
    change?.status !== 'pending_payment' &&
    change?.tier !== tier &&
    (index < present || live === null || isSettled)
  return (
    <ul className="plans" aria-label="Plans">
      {plans.map(({ tier, name, price_cents, monthly_credits, rate_limit_rps }, index) => (
        <li key={tier}>
          <div>
            <span className="package-name">{name}</span>{' '}
            {index === present && <Status tone="good">your plan</Status>}
            {change?.tier === tier && <Status tone="caution">next</Status>}
          </div>
          <div className="plan-price">
            <Money cents={price_cents} currency={currency} /> <span className="small">a month</span>
          </div>
          <div className="quiet small plan-facts">
            {creditsText(monthly_credits)} a month
            <br />
            {rate_limit_rps} requests per second
          </div>
          {index !== present && contact_url === null && (
            <PermittedButton
              {...{ scope: 'billing:write', variant: 'default', size: 'xs' }}
              disabled={!isOffered(tier, index)}
              onClick={() => onChoose(tier)}
            >
              {`${verbOf(index)} ${name}`}
            </PermittedButton>
          )}
        </li>
      ))}
    </ul>
  )
}
