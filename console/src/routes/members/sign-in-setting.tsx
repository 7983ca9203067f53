import { Switch } from '@mantine/core'
import type { SignInSetting as Setting } from 'credit-gateway-sdk'
import { acting, gateway, queries } from '../../api.ts'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { useSession } from '../../session/session.tsx'

/** Whether members sign in by passkey alone; an OWNER decides. */
export function SignInSetting() {
  const { role, environment } = useSession()
  const setting = useRead<Setting>(
    ['sign-in-setting'],
    (options) => gateway.account.getSignInSetting({}, options),
    { scopes: ['members:read'], isEnabled: environment === 'live' },
  )
  const change = useAct(async (passkeyOnly: boolean) => {
    await acting.account.changeSignInSetting({ passkey_only: passkeyOnly })
    await queries.invalidateQueries({ queryKey: ['sign-in-setting'] })
  })
  if (!setting.data) return null
  return (
    <Card title="How members sign in">
      <div className="card-body stack">
        {change.problem && <ProblemNotice error={change.problem} />}
        <Switch
          {...{ checked: setting.data.passkey_only, disabled: role !== 'OWNER' || change.isBusy }}
          label="Passkeys only"
          description={
            role === 'OWNER'
              ? 'Nobody signs in by mail any more. This needs two OWNERs with a passkey, or one OWNER with two. API keys, portal links and invitations keep working.'
              : 'Whether nobody signs in by mail. An OWNER decides this.'
          }
          onChange={(event) => void change.run(event.currentTarget.checked)}
        />
      </div>
    </Card>
  )
}
