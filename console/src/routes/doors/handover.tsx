import { Button, Group } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { root } from '../../place.ts'
import { secretOfLink } from '../../session/fragment.ts'
import { Door } from './door.tsx'
import { useProof } from './proof.ts'
import { UsedLink } from './used-link.tsx'

/**
 * The target of the switch between live and sandbox. It asks the person only if it would end
 * another account's session.
 */
export function HandoverPage() {
  const { preview, signIn } = useProof('handover', { handover_code: secretOfLink })
  const { data } = preview
  const other = data?.signed_in_as ?? null
  const { run } = signIn
  const hasBegun = useRef(false)
  useEffect(() => {
    if (!data || other || hasBegun.current) return
    hasBegun.current = true
    void run()
  }, [data, other, run])

  if (secretOfLink === '') return <UsedLink />
  if (preview.error) {
    return <UsedLink error={preview.error} retry={() => void preview.refetch()} />
  }
  if (signIn.problem) {
    return (
      <Door title="Switch the environment">
        <ProblemNotice error={signIn.problem} />
      </Door>
    )
  }
  if (!data || !other) {
    return (
      <Door title="Switch the environment">
        <Loading what="the other environment" />
      </Door>
    )
  }
  return (
    <Door title="Switch the account too?">
      <p>
        Here you are signed in to {other.account_name}. To see {data.account_name}, that session
        must end.
      </p>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => location.replace(root.pathname)}>
          Stay with {other.account_name}
        </Button>
        <Button loading={signIn.isBusy} onClick={() => void run()}>
          Switch to {data.account_name}
        </Button>
      </Group>
    </Door>
  )
}
