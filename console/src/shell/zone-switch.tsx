import { Segments } from '../components/segments.tsx'
import { nameZone } from '../format/dates.ts'
import { chooseZone, localZone, useZone } from '../format/zone.ts'

const options = [
  { value: localZone, label: 'Local' },
  { value: 'UTC', label: 'UTC' },
]

/** Shows the time zone of all times, and switches it between that of the browser and UTC. */
export function ZoneSwitch() {
  const zone = useZone()
  return (
    <div className="zone small quiet">
      <span>Times in {nameZone(zone, Date.now())}</span>
      {localZone !== 'UTC' && (
        <Segments
          {...{ label: 'Time zone', options, chosen: zone }}
          onChoose={(chosen) => chooseZone(chosen)}
        />
      )}
    </div>
  )
}
