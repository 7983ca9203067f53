import { acting } from '../api.ts'
import { messageOf } from '../components/problem.tsx'
import { Segments } from '../components/segments.tsx'
import { useAct } from '../data/act.ts'
import { useSession } from '../session/session.tsx'

const labels = { live: 'Live', sandbox: 'Sandbox' }
const options = [
  { value: 'live', label: labels.live },
  { value: 'sandbox', label: labels.sandbox },
] as const

/** Shows the environment, and switches to the other one if the session may. */
export function EnvironmentSwitch() {
  const { environment, switch_to: other } = useSession()
  const handover = useAct(async () => {
    const { data } = await acting.account.createHandover()
    location.assign(data.url)
  })
  return (
    <div className="environment" data-environment={environment}>
      {handover.problem && (
        <span className="small" role="alert" style={{ color: 'var(--alert)' }}>
          {messageOf(handover.problem)}
        </span>
      )}
      {other ? (
        <Segments
          {...{ label: 'Environment', options, chosen: environment, isBusy: handover.isBusy }}
          onChoose={() => void handover.run()}
        />
      ) : (
        <span className="environment-pill">{labels[environment]}</span>
      )}
    </div>
  )
}
