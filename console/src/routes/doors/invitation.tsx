import { Button } from '@mantine/core'
import { Facts } from '../../components/facts.tsx'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { secretOfLink } from '../../session/fragment.ts'
import { roles } from '../members/roles.ts'
import { Door } from './door.tsx'
import { useProof } from './proof.ts'
import { UsedLink } from './used-link.tsx'

/**
 * The target of the link of an invitation. Nobody joins before a person presses the button: programs follow links in
 * mails too.
 */
export function InvitationPage() {
  const { preview, signIn } = useProof('invitation', { invitation_token: secretOfLink })
  if (secretOfLink === '') return <UsedLink />
  if (preview.error) {
    return <UsedLink error={preview.error} retry={() => void preview.refetch()} />
  }
  const { data } = preview
  if (!data) {
    return (
      <Door title="Your invitation">
        <Loading what="the invitation" />
      </Door>
    )
  }
  const facts = [
    ['Account', data.account_name],
    ['Invited by', data.invited_by ?? 'the provider'],
    ['Role', data.role ?? '–'],
    ['You may', roles.find(({ value }) => value === data.role)?.permits ?? '–'],
    ['You are', data.actor ?? '–'],
  ] as const
  return (
    <Door title="Your invitation">
      <Facts facts={facts} />
      {data.signed_in_as && (
        <div className="notice" data-kind="caution">
          You are signed in to {data.signed_in_as.account_name}. That session ends.
        </div>
      )}
      {signIn.problem && <ProblemNotice error={signIn.problem} />}
      <Button loading={signIn.isBusy} onClick={() => void signIn.run()} fullWidth>
        Join {data.account_name}
      </Button>
    </Door>
  )
}
