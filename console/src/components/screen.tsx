import { Group, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { nameZone } from '../format/dates.ts'
import { useZone } from '../format/zone.ts'

interface ScreenProps {
  readonly title: string
  /** Buttons of the whole screen. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A screen below the header: its title, which is also the title of the document, and its cards. */
export function Screen({ title, actions, children }: ScreenProps) {
  const zone = useZone()
  useEffect(() => {
    document.title = `${title} · Credit Gateway`
  }, [title])
  return (
    <div className="screen">
      <Group justify="space-between" gap="sm" mb="md" mih={36}>
        <Title order={1}>{title}</Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
      <p className="zone-note small quiet">Time zone: {nameZone(zone, Date.now())}</p>
    </div>
  )
}

interface CardProps {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Card({ title, actions, children }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      {(title || actions) && (
        <div className="card-head">
          {title && <Title order={2}>{title}</Title>}
          {actions && <Group gap="xs">{actions}</Group>}
        </div>
      )}
      {children}
    </section>
  )
}
