import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { gateway, heartbeatMs } from '../../api.ts'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import type { Filters } from '../../data/search.ts'
import { isOutage } from '../../outage.ts'
import { gatewayUrl } from '../../place.ts'
import { Door } from './door.tsx'
import { SignInPage } from './sign-in.tsx'

/**
 * Where people sign in, or prove once more who they are, before an app may ask them for access. `request` is the query of
 * the authorization request: it leads back to the gateway and nowhere else, whatever it says.
 */
export default function AuthorizePage() {
  const { request = '' }: Filters = useSearch({ strict: false })
  const { data, error, refetch } = useQuery({
    // A sign-in renews all that begins so, and one in another tab is noticed when this one is shown again.
    queryKey: ['session', 'authorization', request],
    queryFn: ({ signal }) => isSignInNeeded(request, signal),
    refetchInterval: ({ state }) => (isOutage(state.error) ? heartbeatMs : false),
    staleTime: 0,
  })
  const isOut = isOutage(error)
  // What else is wrong with the request, its own page says.
  const isDone = data === false || (error !== null && !isOut)
  useEffect(() => {
    if (isDone) location.replace(addressOf(request))
  }, [isDone, request])

  if (data !== true || isDone) {
    return (
      <Door title="Sign in">
        {error && isOut ? (
          <ProblemNotice error={error} retry={() => void refetch()} />
        ) : (
          <Loading what="the request of the app" />
        )}
      </Door>
    )
  }
  return (
    <SignInPage hasEnded={false}>
      <div className="notice" data-kind="plain">
        An app asks for access to your account. Sign in, or prove once more that it is you, to see
        what it asks for. If you have a passkey, use it: then no mail is proof enough.
      </div>
    </SignInPage>
  )
}

/** Whether the person has no session, or one whose proof is too old for this request. */
async function isSignInNeeded(request: string, signal: AbortSignal): Promise<boolean> {
  const query = Object.fromEntries(new URLSearchParams(request))
  const { data } = await gateway.oauth.authorize(query as never, { signal, maxRetries: 1 })
  return data.login_required
}

function addressOf(request: string): string {
  const address = new URL(`${gatewayUrl}/v1/oauth/authorize`)
  address.search = request
  return address.href
}
