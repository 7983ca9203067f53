import { Screen } from '../../../../src/components/screen.tsx'
import { useAsked } from '../../data/read.ts'
import { useMay } from '../../data/role.ts'
import { Books, Drifts } from './books.tsx'
import { Jobs } from './jobs.tsx'
import { Modules } from './modules.tsx'
import { Processes } from './processes.tsx'
import { SigningKeys } from './signing-keys.tsx'
import { Webhooks } from './webhooks.tsx'

/** Whether the gateway works, by what its processes report. */
export default function Health() {
  const may = useMay()
  const read = useAsked('GatewayProcesses', {}, { isLive: true })
  return (
    <Screen title="Health">
      <div className="cards">
        <Books read={read} />
        <Modules read={read} />
        <Processes read={read} />
        <Jobs read={read} />
        <Webhooks />
        {may('seeDrifts') && <Drifts />}
        <SigningKeys />
      </div>
    </Screen>
  )
}
