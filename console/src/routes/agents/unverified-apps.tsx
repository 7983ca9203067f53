import { Switch } from '@mantine/core'
import type { AgentSettings } from 'credit-gateway-sdk'
import { acting, gateway, queries } from '../../api.ts'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { useSession } from '../../session/session.tsx'

const settingsKey = ['agents'] as const

/** Whether apps that nobody has verified may ask for access. */
export function UnverifiedApps() {
  const { can, role } = useSession()
  const settings = useRead<AgentSettings>(
    settingsKey,
    (options) => gateway.account.getAgentSettings({}, options),
    { scopes: ['account:read'] },
  )
  const change = useAct(async (allow_unverified_apps: boolean) => {
    await acting.account.changeAgentSettings({ allow_unverified_apps })
    await queries.invalidateQueries({ queryKey: settingsKey })
  })
  const mayChange = can('account:write') && (role === null || role === 'OWNER')
  return (
    <Card title="Unverified apps">
      <div className="card-body stack">
        {settings.missing && <NoPermission {...settings.missing} />}
        {settings.error && (
          <ProblemNotice error={settings.error} retry={() => void settings.refetch()} />
        )}
        {settings.isLoading && <Loading what="the setting" />}
        {settings.data && (
          <Switch
            label="Let unverified apps ask for access"
            description="Most agents are unverified: nobody has checked who runs them. If you turn this off, you can connect only those that you have already approved."
            checked={settings.data.allow_unverified_apps}
            disabled={!mayChange}
            onChange={({ currentTarget }) => void change.run(currentTarget.checked)}
          />
        )}
        {settings.data && !mayChange && (
          <p className="small quiet">
            {role
              ? 'Ask an owner of the account to change this.'
              : 'Needs the scope account:write.'}
          </p>
        )}
        {change.problem && <ProblemNotice error={change.problem} />}
      </div>
    </Card>
  )
}
