import { NativeSelect, Text, TextInput } from '@mantine/core'
import type { TrackedKeyword, TrackKeywordRequest } from 'credit-gateway-sdk'
import { acting, queries } from '../../api.ts'
import { FormDialog, textOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'

async function readAgain(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['keywords'] })
  await queries.invalidateQueries({ queryKey: ['overview'] })
}

const fields = ['keyword', 'domain', 'country', 'device']

/** Asks for a keyword to track. */
export function AddKeyword({ onClose }: { readonly onClose: () => void }) {
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

/** Asks whether a keyword is not tracked any more. */
export function RemoveKeyword({ keyword, onClose }: RemoveKeywordProps) {
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
