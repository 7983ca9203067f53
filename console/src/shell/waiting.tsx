import { Title } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { Loading } from '../components/list.tsx'
import { isGatewayAway, onAwayChange } from '../parts.ts'

/** In place of a screen that is not loaded yet. */
export function Waiting() {
  const isAway = useSyncExternalStore(onAwayChange, isGatewayAway)
  if (!isAway) return <Loading what="the screen" />
  return (
    <div className="screen">
      <div className="card card-body" role="status">
        <Title order={1} mb="sm">
          The gateway does not answer
        </Title>
        <p className="quiet">This screen opens by itself as soon as the gateway is back.</p>
      </div>
    </div>
  )
}
