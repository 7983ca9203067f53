import { Button } from '@mantine/core'
import { acting } from '../api.ts'
import { Icon } from '../components/icons.tsx'
import { messageOf } from '../components/problem.tsx'
import { useAct } from '../data/act.ts'
import { useSession } from '../session/session.tsx'

const labels = { live: 'Live', sandbox: 'Sandbox' }

/** Shows the environment, and a link to the other one if the session may switch. */
export function EnvironmentSwitch() {
  const { environment, switch_to: other } = useSession()
  const handover = useAct(async () => {
    const { data } = await acting.account.createHandover()
    location.assign(data.url)
  })
  return (
    <div className="environment-switch">
      <span className="environment" data-environment={environment}>
        {labels[environment]}
      </span>
      {handover.problem && (
        <span className="small" role="alert" style={{ color: 'var(--alert)' }}>
          {messageOf(handover.problem)}
        </span>
      )}
      {other && (
        <Button
          {...{ variant: 'default', size: 'xs', loading: handover.isBusy }}
          {...{ leftSection: <Icon name="switch" size={14} />, title: `Show the ${other} data` }}
          onClick={() => void handover.run()}
        >
          {labels[other]}
        </Button>
      )}
    </div>
  )
}
