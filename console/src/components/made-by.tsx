import { KeyLink } from './key-link.tsx'

/** Who made a key or an app: the name or address of a person, the operator, or a key that one can look at. */
export function MadeBy({ maker }: { readonly maker: string | null | undefined }) {
  if (!maker) return 'nobody by hand'
  if (maker.startsWith('session:')) return maker.slice('session:'.length)
  if (maker.startsWith('internal:')) return <span title={maker}>the operator</span>
  return <KeyLink id={maker} />
}
