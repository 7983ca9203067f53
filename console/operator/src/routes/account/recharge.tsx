import { Facts } from '../../../../src/components/facts.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status, type Tone } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { Unread } from '../../../../src/components/unread.tsx'
import { creditsText, money } from '../../../../src/format/numbers.ts'
import { useAsked } from '../../data/read.ts'
import { stateOf, useWhere } from '../../data/where.ts'

const tones: Readonly<Record<string, Tone>> = {
  ...{ idle: 'good', pending: 'caution', action_required: 'caution', suspended: 'alert' },
}

/** Automatic recharging as its holder has set it up, and why it does not work. */
export function Recharge() {
  const read = useAsked('AccountRecharge', stateOf(useWhere()))
  const recharge = read.data?.autoRecharge
  return (
    <Card title="Automatic recharging">
      {!recharge && <Unread read={read} what="automatic recharging" />}
      {recharge && (
        <div className="card-body">
          <Facts
            facts={[
              [
                'State',
                recharge.enabled ? (
                  <Status key="state" tone={tones[recharge.state] ?? 'quiet'}>
                    {recharge.state.replaceAll('_', ' ')}
                  </Status>
                ) : (
                  'off'
                ),
              ],
              [
                'Below',
                recharge.thresholdCredits !== null && `${creditsText(recharge.thresholdCredits)}`,
              ],
              ['Buys', recharge.packageId],
              [
                'At most a month',
                recharge.monthlyCapCents !== null &&
                  money({ cents: recharge.monthlyCapCents, currency: 'USD' }),
              ],
              ['Last', recharge.lastRechargeAt && <Time key="last" at={recharge.lastRechargeAt} />],
              ['Failure', recharge.failureReason],
            ]}
          />
        </div>
      )}
    </Card>
  )
}
