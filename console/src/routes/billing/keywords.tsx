import { NativeSelect, Text, TextInput } from '@mantine/core'
import type { TrackedKeyword, TrackKeywordRequest } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { type Column, List } from '../../components/list.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { useList } from '../../data/read.ts'

async function readAgain(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['keywords'] })
  await queries.invalidateQueries({ queryKey: ['overview'] })
}

/** The keywords that the add-on Rank Tracking watches. */
export function Keywords() {
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
    <Card
      title="Tracked keywords"
      actions={
        <PermittedButton
          {...{ scope: 'account:write', variant: 'default', size: 'xs' }}
          onClick={() => setAdding(true)}
        >
          Track a keyword
        </PermittedButton>
      }
    >
      <List
        {...{ name: 'tracked keywords', page, columns }}
        keyOf={({ id }) => id}
        empty="No keyword is tracked. The add-on Rank Tracking watches where keywords stand."
      />
      {isAdding && <AddKeyword onClose={() => setAdding(false)} />}
      {removed && <RemoveKeyword keyword={removed} onClose={() => setRemoved(null)} />}
    </Card>
  )
}

const fields = ['keyword', 'domain', 'country', 'device']

function AddKeyword({ onClose }: { readonly onClose: () => void }) {
  const add = useAct(async (values: FormData) => {
    const country = textOf(values, 'country')
    await acting.subscription.trackKeyword({
      ...{ keyword: textOf(values, 'keyword') ?? '', domain: textOf(values, 'domain') ?? '' },
      ...(country && { country }),
      device: (textOf(values, 'device') ?? 'desktop') as NonNullable<TrackKeywordRequest['device']>,
    })
    await readAgain()
    onClose()
  })
  const errors = fieldErrors(add.problem)
  return (
    <FormDialog
      {...{ title: 'Track a keyword', submit: 'Track keyword', onClose, fields }}
      {...{ isBusy: add.isBusy, problem: add.problem }}
      onSubmit={(values) => void add.run(values)}
    >
      <TextInput
        {...{ name: 'keyword', label: 'Keyword', required: true, 'data-autofocus': true }}
        error={errors.keyword}
      />
      <TextInput
        {...{ name: 'domain', label: 'Domain', required: true, placeholder: 'example.com' }}
        error={errors.domain}
      />
      <TextInput
        {...{ name: 'country', label: 'Country', placeholder: 'US', maxLength: 2 }}
        error={errors.country}
      />
      <NativeSelect
        {...{ name: 'device', label: 'Device', data: ['desktop', 'mobile'], error: errors.device }}
      />
    </FormDialog>
  )
}

interface RemoveKeywordProps {
  readonly keyword: TrackedKeyword
  readonly onClose: () => void
}

function RemoveKeyword({ keyword, onClose }: RemoveKeywordProps) {
  const remove = useAct(async () => {
    await acting.subscription.untrackKeyword({ keyword_id: keyword.id })
    await readAgain()
    onClose()
  })
  return (
    <FormDialog
      {...{ title: 'Stop tracking', submit: 'Stop tracking', onClose, isDangerous: true }}
      {...{ isBusy: remove.isBusy, problem: remove.problem }}
      onSubmit={() => void remove.run()}
    >
      <Text size="sm">
        Where “{keyword.keyword}” stands for {keyword.domain} is not watched any more.
      </Text>
    </FormDialog>
  )
}
