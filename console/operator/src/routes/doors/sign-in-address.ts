import { root } from '../../../../src/place.ts'

/** Where the provider of identities asks who is there; afterwards the browser comes back to this page. */
export function signInAddress({ isProof = false }: { readonly isProof?: boolean } = {}): string {
  const address = new URL('sign-in', root)
  if (isProof) address.searchParams.set('step_up', '1')
  address.searchParams.set('return', location.pathname + location.search)
  return address.href
}
