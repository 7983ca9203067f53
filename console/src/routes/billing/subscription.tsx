import { Text } from '@mantine/core'
import type { Addons, Overview, Subscription } from 'credit-gateway-sdk'
import { type ReactNode, useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Amount } from '../../components/figures.tsx'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status, type Tone } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { tierName } from '../../format/names.ts'
import { integer } from '../../format/numbers.ts'

const tones: Readonly<Record<string, readonly [Tone, string]>> = {
  active: ['good', 'active'],
  scheduled_to_cancel: ['caution', 'ends with the period'],
  canceled: ['alert', 'canceled'],
  inactive: ['quiet', 'not booked'],
}

function Entitlement({ status }: { readonly status: string }) {
  const [tone, words] = tones[status] ?? (['quiet', status] as const)
  return <Status tone={tone}>{words}</Status>
}

const readAgain = () => queries.invalidateQueries({ queryKey: ['overview'] })

/** The monthly plan of the account. */
export function SubscriptionAndAddons() {
  const overview = useRead<Overview>(
    ['overview'],
    (options) => gateway.account.getOverview({}, options),
    { scopes: ['account:read'] },
  )
  if (!overview.data) {
    return (
      <Card title="Subscription">
        <Unread read={overview} what="the subscription" />
      </Card>
    )
  }
  const { subscription, addons } = overview.data
  return (
    <div className="half">
      <SubscriptionCard subscription={subscription} />
      <AddonsCard addons={addons} />
    </div>
  )
}

function SubscriptionCard({ subscription }: { readonly subscription: Subscription | null }) {
  const [isCanceling, setCanceling] = useState(false)
  const resume = useAct(async () => {
    await acting.subscription.resume()
    await readAgain()
  })
  if (!subscription) {
    return (
      <Card title="Subscription">
        <div className="card-body quiet" role="status">
          There is no subscription. Only packages bring credits.
        </div>
      </Card>
    )
  }
  const { tier, status, current_period_end: end, monthly_credits } = subscription
  return (
    <Card
      title="Subscription"
      actions={
        status === 'active' ? (
          <PermittedButton
            {...{ scope: 'account:write', variant: 'default', size: 'xs' }}
            aria-label="Cancel the subscription"
            onClick={() => setCanceling(true)}
          >
            Cancel
          </PermittedButton>
        ) : (
          status === 'scheduled_to_cancel' && (
            <PermittedButton
              {...{ scope: 'account:write', size: 'xs', loading: resume.isBusy }}
              aria-label="Resume the subscription"
              onClick={() => void resume.run()}
            >
              Resume
            </PermittedButton>
          )
        )
      }
    >
      <div className="card-body">
        {resume.problem && <ProblemNotice error={resume.problem} />}
        <Facts
          facts={[
            ['Plan', tierName(tier)],
            ['State', <Entitlement key="state" status={status} />],
            ['Each month', <Amount key="credits" value={monthly_credits} unit="credits" />],
            [status === 'active' ? 'Renews' : 'Ends', <Time key="end" at={end} as="day" />],
          ]}
        />
      </div>
      {isCanceling && (
        <Cancel
          {...{ title: 'Cancel the subscription', onClose: () => setCanceling(false) }}
          act={() => acting.subscription.cancel()}
        >
          The plan {tierName(tier)} stays until <Time at={end} as="day" />. Then its{' '}
          {integer(monthly_credits)} monthly credits and its higher rate limit end. Until that day
          you can resume it.
        </Cancel>
      )}
    </Card>
  )
}

function AddonsCard({ addons }: { readonly addons: Addons }) {
  const [isCanceling, setCanceling] = useState(false)
  const { mass_mail: mail, rank_tracking: ranks } = addons
  return (
    <Card title="Add-ons">
      <ul className="items" aria-label="Add-ons">
        <li>
          <div>
            Mass Mail <Entitlement status={mail.status} />
            <div className="quiet small">
              {mail.active
                ? `${integer(mail.used_this_period)} mails sent in this period, for comparison with a quota of ${integer(mail.monthly_quota)}`
                : 'Sends mails to many people at once.'}
              {mail.current_period_end && (
                <>
                  , {mail.cancel_at_period_end ? 'ends' : 'renews'}{' '}
                  <Time at={mail.current_period_end} as="day" />
                </>
              )}
            </div>
          </div>
          {mail.status === 'active' && (
            <PermittedButton
              {...{ scope: 'account:write', variant: 'default', size: 'xs' }}
              aria-label="Cancel Mass Mail"
              onClick={() => setCanceling(true)}
            >
              Cancel
            </PermittedButton>
          )}
        </li>
        <li>
          <div>
            Rank Tracking <Entitlement status={ranks.status} />
            <div className="quiet small">
              {ranks.active
                ? `${integer(ranks.keywords_used)} of ${integer(ranks.keyword_limit)} keywords used`
                : 'Watches where keywords stand.'}
            </div>
          </div>
        </li>
      </ul>
      {isCanceling && (
        <Cancel
          {...{ title: 'Cancel Mass Mail', onClose: () => setCanceling(false) }}
          act={() => acting.subscription.cancelMassMail()}
        >
          Mass Mail stays until{' '}
          {mail.current_period_end ? (
            <Time at={mail.current_period_end} as="day" />
          ) : (
            'the period ends'
          )}
          . An add-on cannot be resumed: it has to be booked anew.
        </Cancel>
      )}
    </Card>
  )
}

interface CancelProps {
  readonly title: string
  readonly act: () => Promise<unknown>
  readonly onClose: () => void
  /** Says what ends, and when. */
  readonly children: ReactNode
}

function Cancel({ title, act, onClose, children }: CancelProps) {
  const cancel = useAct(async () => {
    await act()
    await readAgain()
    onClose()
  })
  return (
    <FormDialog
      {...{ title, submit: title, onClose, isDangerous: true }}
      {...{ isBusy: cancel.isBusy, problem: cancel.problem }}
      onSubmit={() => void cancel.run()}
    >
      <Text size="sm">{children}</Text>
    </FormDialog>
  )
}
