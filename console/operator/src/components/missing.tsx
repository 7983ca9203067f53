import { Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function Missing() {
  return (
    <div className="screen">
      <div className="card card-body">
        <Title order={1} mb="sm">
          There is no page here
        </Title>
        <Link to="/">Go to the accounts</Link>
      </div>
    </div>
  )
}
