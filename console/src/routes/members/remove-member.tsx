import { Radio, Stack, Text } from '@mantine/core'
import type { Member } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { useAct } from '../../data/act.ts'
import { useSession } from '../../session/session.tsx'
import { refresh } from './refresh.ts'

interface RemoveMemberProps {
  readonly member: Member
  readonly onClose: () => void
}

/** Removes a member; who does so says what becomes of the keys. */
export function RemoveMember({ member, onClose }: RemoveMemberProps) {
  const { actor } = useSession()
  const isMe = member.email === actor
  const hasJoined = member.state !== 'invited'
  const [keys, setKeys] = useState<'revoke' | 'keep'>('keep')
  const remove = useAct(async () => {
    await acting.account.removeMember({ member_id: member.id, keys })
    await refresh()
    onClose()
  })
  return (
    <FormDialog
      title={isMe ? 'Leave the account?' : `Remove ${member.email}?`}
      {...{ submit: isMe ? 'Leave' : 'Remove', onClose, isDangerous: true }}
      {...{ isBusy: remove.isBusy, problem: remove.problem }}
      onSubmit={() => void remove.run()}
    >
      {hasJoined ? (
        <>
          <Text size="sm">
            {isMe
              ? 'You are signed out everywhere at once. To come back, you need a new invitation.'
              : 'This person is signed out everywhere at once.'}
          </Text>
          <Radio.Group
            {...{
              label: isMe ? 'API keys that you have made' : 'API keys that this person has made',
              value: keys,
            }}
            onChange={(value) => setKeys(value === 'revoke' ? 'revoke' : 'keep')}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="keep" label="Keep them: programs that use them keep working" />
              <Radio value="revoke" label="Revoke them: programs that use them stop" />
            </Stack>
          </Radio.Group>
        </>
      ) : (
        <Text size="sm">The link of the invitation stops working.</Text>
      )}
    </FormDialog>
  )
}
