import { Facts } from '../../../../src/components/facts.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { Unread } from '../../../../src/components/unread.tsx'
import { tierName } from '../../../../src/format/names.ts'
import { integer } from '../../../../src/format/numbers.ts'
import type { Body } from '../../api.ts'
import { useAsked } from '../../data/read.ts'
import { stateOf, useWhere } from '../../data/where.ts'

type Shown = NonNullable<Body<'AccountPlan'>>

/** Subscription, add-ons and the details of invoices. */
export function Plan() {
  const read = useAsked('AccountPlan', stateOf(useWhere()))
  const { data } = read
  if (!data) {
    return (
      <Card title="Subscription">
        <Unread read={read} what="the subscription" />
      </Card>
    )
  }
  return (
    <>
      <Card title="Subscription">
        <div className="card-body">
          <Subscription subscription={data.subscription} />
        </div>
      </Card>
      <Card title="Add-ons">
        <div className="card-body">
          <Addons addons={data.addons} />
        </div>
      </Card>
      <Card title="On invoices">
        <div className="card-body">
          <Facts
            facts={[
              ['Name', data.billingDetails.name ?? 'not given'],
              ['Country', data.billingDetails.country],
              ['VAT id', data.billingDetails.taxId],
              ['Purchase order', data.billingDetails.purchaseOrder],
            ]}
          />
        </div>
      </Card>
    </>
  )
}

function Subscription({ subscription }: Pick<Shown, 'subscription'>) {
  if (!subscription) return <p className="quiet">The account has no subscription.</p>
  const { tier, status, currentPeriodStart, currentPeriodEnd, canceledAt } = subscription
  return (
    <Facts
      facts={[
        ['Plan', tierName(tier)],
        ['State', <State key="state" status={status} />],
        [
          'Period',
          <span key="period">
            <Time at={currentPeriodStart} as="day" /> to <Time at={currentPeriodEnd} as="day" />
          </span>,
        ],
        ['Credits a month', integer(subscription.monthlyCredits)],
        ['Canceled', canceledAt && <Time key="canceled" at={canceledAt} />],
      ]}
    />
  )
}

function Addons({ addons: { massMail, rankTracking } }: Pick<Shown, 'addons'>) {
  return (
    <Facts
      facts={[
        ['Mass mail', <State key="mail" status={massMail.status} />],
        [
          'Mails this period',
          `${integer(massMail.usedThisPeriod)} of ${integer(massMail.monthlyQuota)}`,
        ],
        ['Rank tracking', <State key="rank" status={rankTracking.status} />],
        [
          'Keywords',
          `${integer(rankTracking.keywordsUsed)} of ${integer(rankTracking.keywordLimit)}`,
        ],
      ]}
    />
  )
}

function State({ status }: { readonly status: string }) {
  const tone = status === 'active' ? 'good' : status === 'scheduled_to_cancel' ? 'caution' : 'quiet'
  return <Status tone={tone}>{status.replaceAll('_', ' ')}</Status>
}
