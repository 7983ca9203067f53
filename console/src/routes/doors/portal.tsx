import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SignInPreview } from 'credit-gateway-sdk'
import { acting, gateway } from '../../api.ts'
import { Facts as FactList } from '../../components/facts.tsx'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { root } from '../../place.ts'
import { secretOfLink } from '../../session/fragment.ts'
import { Door } from './door.tsx'
import { UsedLink } from './used-link.tsx'

/**
 * The target of a portal link. It names the account that the link opens, and changes nothing before
 * a person presses the button, because programs also follow links in mails.
 */
export function PortalPage() {
  const preview = useQuery({
    queryKey: ['session', 'portal'],
    queryFn: async ({ signal }) => {
      const { data } = await gateway.account.getSignInPreview(
        { portal_token: secretOfLink },
        { signal },
      )
      return data
    },
    enabled: secretOfLink !== '',
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const signIn = useAct(async () => {
    await acting.account.openProvenSession({ portal_token: secretOfLink })
    location.replace(root.pathname)
  })
  if (secretOfLink === '') return <UsedLink />
  if (preview.error) return <UsedLink error={preview.error} />
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
