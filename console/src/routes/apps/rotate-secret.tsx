import { NativeSelect, Text } from '@mantine/core'
import type { OAuthApp, RotateAppSecretAnswer } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { countOf, FormDialog } from '../../components/forms/form-dialog.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'

interface RotateSecretProps {
  readonly app: OAuthApp
  readonly onClose: () => void
}

const overlaps = [
  { value: '86400', label: 'for a day' },
  { value: '3600', label: 'for an hour' },
  { value: '604800', label: 'for 7 days' },
  { value: '0', label: 'not at all: it has leaked' },
]

export function RotateSecret({ app, onClose }: RotateSecretProps) {
  const { client_id, client_name, previous_secret_expires_at: overlapping } = app
  const [made, setMade] = useState<RotateAppSecretAnswer | null>(null)
  const rotate = useAct(async (overlap_seconds: number) => {
    const { data } = await acting.oauthApps.rotateSecret({ client_id, overlap_seconds })
    return data
  })
  if (made) {
    return (
      <OneTimeSecret
        title={`The new secret of ${client_name}`}
        advice={
          made.previous_secret_expires_at ? (
            <>
              Give it to your app. The previous secret works until{' '}
              <Time at={made.previous_secret_expires_at} />.
            </>
          ) : (
            'Give it to your app: the previous secret no longer works.'
          )
        }
        values={[
          ['Client ID', client_id],
          ['Client secret', made.client_secret],
        ]}
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      {...{ title: 'Rotate the secret', submit: 'Rotate secret', onClose }}
      {...{ isBusy: rotate.isBusy, problem: rotate.problem, fields: ['overlap_seconds'] }}
      onSubmit={async (values) => {
        setMade(await rotate.run(countOf(values, 'overlap_seconds') ?? 0))
        void queries.invalidateQueries({ queryKey: ['apps'] })
      }}
    >
      <Text size="sm">
        {client_name} gets a new secret. Nobody has to sign in again: tokens and consents stay.
      </Text>
      {overlapping && (
        <div className="notice" data-kind="caution">
          The secret before the present one still works. It stops working as soon as you rotate.
        </div>
      )}
      <NativeSelect
        {...{ name: 'overlap_seconds', label: 'The current secret keeps working', data: overlaps }}
        error={fieldErrors(rotate.problem).overlap_seconds}
      />
    </FormDialog>
  )
}
