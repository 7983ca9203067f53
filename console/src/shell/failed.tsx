import { Button, Stack, Title } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { reloadPage } from '../parts.ts'

/** The page in place of a screen that failed, for example after an update of the gateway. */
export function Failed({ error }: ErrorComponentProps) {
  return (
    <div className="screen">
      <div className="card card-body">
        <Stack align="start">
          <Title order={1}>This screen cannot be shown</Title>
          <p className="quiet">{error instanceof Error ? error.message : String(error)}</p>
          <Button onClick={() => void reloadPage()}>Load the page again</Button>
        </Stack>
      </div>
    </div>
  )
}
