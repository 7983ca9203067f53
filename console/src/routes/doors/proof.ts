import { useQuery } from '@tanstack/react-query'
import { acting, gateway, heartbeatMs } from '../../api.ts'
import { useAct } from '../../data/act.ts'
import { isOutage } from '../../outage.ts'
import { root } from '../../place.ts'
import { secretOfLink } from '../../session/fragment.ts'

/** The secret of an address, in the member of the request that it is for. */
interface Proof {
  readonly portal_token?: string
  readonly handover_code?: string
  readonly invitation_token?: string
}

/** Shows what a link or code opens, and opens it. `name` tells apart what the console remembers. */
export function useProof(name: string, proof: Proof) {
  const preview = useQuery({
    queryKey: ['session', name],
    queryFn: async ({ signal }) => (await gateway.account.getSignInPreview(proof, { signal })).data,
    enabled: secretOfLink !== '',
    refetchOnWindowFocus: false,
    // The page holds the only copy of the secret, so it tries again by itself.
    refetchInterval: ({ state }) => (isOutage(state.error) ? heartbeatMs : false),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const signIn = useAct(async () => {
    await acting.account.openProvenSession(proof)
    location.replace(root.pathname)
  })
  return { preview, signIn }
}
