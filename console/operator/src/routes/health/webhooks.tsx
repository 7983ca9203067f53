import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { Time } from '../../../../src/components/time.tsx'
import type { Body } from '../../api.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { Dash } from '../../components/dash.tsx'
import { useAskedPage } from '../../data/read.ts'

type Endpoint = Body<'FailingWebhooks'>['nodes'][number]

const columns: readonly Column<Endpoint>[] = [
  {
    label: 'Account',
    cell: ({ accountId, accountName }) => <AccountLink id={accountId}>{accountName}</AccountLink>,
  },
  { label: 'Host', cell: ({ host }) => <span className="host">{host}</span> },
  {
    label: 'Status',
    cell: ({ status }) => (
      <Status tone={status === 'enabled' ? 'caution' : 'alert'}>{status}</Status>
    ),
  },
  { label: 'Failing since', cell: ({ failingSince }) => <Time at={failingSince} as="relative" /> },
  {
    label: 'Failed last',
    cell: ({ lastFailedAt }) =>
      lastFailedAt ? <Time at={lastFailedAt} as="relative" /> : <Dash />,
  },
]

/** Endpoints of accounts at which nothing arrives. */
export function Webhooks() {
  const page = useAskedPage('FailingWebhooks', {}, (body) => body, {
    ...{ cursorName: 'webhooks', first: 10 },
  })
  return (
    <Card title="Webhooks that fail">
      <List
        {...{ name: 'failing webhooks', page, columns, keyOf: ({ id }: Endpoint) => id }}
        empty="Deliveries arrive at every endpoint."
      />
    </Card>
  )
}
