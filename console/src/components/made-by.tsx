import { Link } from '@tanstack/react-router'

/** Who made a key or an app: the name of a person, the provider, or a key that one can look at. */
export function MadeBy({ maker }: { readonly maker: string | null | undefined }) {
  if (!maker) return 'nobody by hand'
  if (maker.startsWith('session:')) return maker.slice('session:'.length)
  if (maker.startsWith('internal:')) return 'the provider'
  return (
    <Link to="/keys/$keyId" params={{ keyId: maker } as never} className="mono">
      {maker}
    </Link>
  )
}
