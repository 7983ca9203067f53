import { Link } from '@tanstack/react-router'
import type { Overview, Addons as State } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway } from '../../api.ts'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Card } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { useRead } from '../../data/read.ts'
import { integer } from '../../format/numbers.ts'
import { Cancel } from './cancel.tsx'
import { Entitlement } from './entitlement.tsx'

/** The add-ons of the account. */
export function AddonsCard() {
  const overview = useRead<Overview>(
    ['overview'],
    (options) => gateway.account.getOverview({}, options),
    { scopes: ['account:read'] },
  )
  if (overview.data) return <Addons addons={overview.data.addons} />
  return (
    <Card title="Add-ons">
      <Unread read={overview} what="the add-ons" />
    </Card>
  )
}

function Addons({ addons }: { readonly addons: State }) {
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
                ? `${integer(mail.used_this_period)} mails sent this period (quota ${integer(mail.monthly_quota)})`
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
                : 'Watches where keywords stand.'}{' '}
              <Link to="/keywords">Tracked keywords</Link>
            </div>
          </div>
        </li>
      </ul>
      {isCanceling && (
        <Cancel
          {...{
            title: 'Cancel Mass Mail',
            keep: 'Keep Mass Mail',
            onClose: () => setCanceling(false),
          }}
          act={() => acting.subscription.cancelMassMail()}
        >
          Mass Mail stays until{' '}
          {mail.current_period_end ? (
            <Time at={mail.current_period_end} as="day" />
          ) : (
            'the period ends'
          )}
          . An add-on cannot be resumed: book it again to have it back.
        </Cancel>
      )}
    </Card>
  )
}
