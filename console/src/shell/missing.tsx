import { Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function Missing() {
  return (
    <main className="door">
      <div className="card door-card">
        <Title order={1} mb="sm">
          There is no page here
        </Title>
        <Link to="/">Go to the overview</Link>
      </div>
    </main>
  )
}
