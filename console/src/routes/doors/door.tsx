import { Group, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Logo } from '../../components/icons.tsx'

interface DoorProps {
  readonly title: string
  readonly children: ReactNode
}

/** A page for people who are not signed in. */
export function Door({ title, children }: DoorProps) {
  useEffect(() => {
    document.title = `${title} · Credit Gateway`
  }, [title])
  return (
    <main className="door">
      <div className="card door-card">
        <Group gap="sm" mb="md" wrap="nowrap">
          <Logo size={28} />
          <Title order={1}>{title}</Title>
        </Group>
        <div className="stack">{children}</div>
      </div>
    </main>
  )
}
