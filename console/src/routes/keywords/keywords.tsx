import type { TrackedKeyword } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { AddKeyword, RemoveKeyword } from './keyword-dialogs.tsx'

/** The keywords that the add-on Rank Tracking watches. */
export default function Keywords() {
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<TrackedKeyword | null>(null)
  const page = useList<TrackedKeyword>(
    ['keywords'],
    (input, options) => gateway.subscription.listTrackedKeywords(input, options),
    { scopes: ['account:read'], limit: 10, cursorName: 'keywords' },
  )
  const columns: readonly Column<TrackedKeyword>[] = [
    { label: 'Keyword', cell: ({ keyword }) => keyword },
    { label: 'Domain', cell: ({ domain }) => domain },
    { label: 'Country', cell: ({ country }) => country },
    { label: 'Device', cell: ({ device }) => device },
    { label: 'Since', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
    {
      ...{ label: '', isRight: true },
      cell: (keyword) => (
        <PermittedButton
          {...{ scope: 'account:write', variant: 'default', size: 'xs' }}
          aria-label={`Stop tracking ${keyword.keyword}`}
          onClick={() => setRemoved(keyword)}
        >
          Stop
        </PermittedButton>
      ),
    },
  ]
  return (
    <Screen
      title="Tracked keywords"
      actions={
        <PermittedButton
          {...{ scope: 'account:write', size: 'xs' }}
          onClick={() => setAdding(true)}
        >
          Track a keyword
        </PermittedButton>
      }
    >
      <Card>
        <List
          {...{ name: 'tracked keywords', page, columns }}
          keyOf={({ id }) => id}
          empty="No keyword is tracked. The add-on Rank Tracking watches where keywords stand."
        />
      </Card>
      {isAdding && <AddKeyword onClose={() => setAdding(false)} />}
      {removed && <RemoveKeyword keyword={removed} onClose={() => setRemoved(null)} />}
    </Screen>
  )
}
