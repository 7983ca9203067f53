import { Button } from '@mantine/core'
import type { SignInPreview } from 'credit-gateway-sdk'
import { Facts as FactList } from '../../components/facts.tsx'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { secretOfLink } from '../../session/fragment.ts'
import { Door } from './door.tsx'
import { useProof } from './proof.ts'
import { UsedLink } from './used-link.tsx'

/**
 * The target of a portal link. It names the account that the link opens, and changes nothing before
 * a person presses the button, because programs also follow links in mails.
 */
export function PortalPage() {
  const { preview, signIn } = useProof('portal', { portal_token: secretOfLink })
  if (secretOfLink === '') return <UsedLink />
  if (preview.error) {
    return <UsedLink error={preview.error} retry={() => void preview.refetch()} />
  }
  const { data } = preview
  if (!data) {
    return (
      <Door title="Open the console">
        <Loading what="what the link opens" />
      </Door>
    )
  }
  return (
    <Door title="Open the console">
      <Facts preview={data} />
      {data.signed_in_as && (
        <div className="notice" data-kind="caution">
          You are signed in to {data.signed_in_as.account_name}. That session ends.
        </div>
      )}
      {signIn.problem && <ProblemNotice error={signIn.problem} />}
      <Button loading={signIn.isBusy} onClick={() => void signIn.run()} fullWidth>
        Continue to {data.account_name}
      </Button>
    </Door>
  )
}

function Facts({ preview }: { readonly preview: SignInPreview }) {
  const facts = [
    ['Account', preview.account_name],
    ['Environment', preview.environment === 'live' ? 'Live' : 'Sandbox'],
    ['Role', preview.role ?? '–'],
    ['You are', preview.actor ?? '–'],
  ] as const
  return <FactList facts={facts} />
}
