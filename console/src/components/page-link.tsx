import { Link } from '@tanstack/react-router'
import { root } from '../place.ts'

/** A link to a page whose address the API has told: pages of this console open without loading it again. */
export function PageLink({ url, children }: { readonly url: string; readonly children: string }) {
  if (!url.startsWith(root.href)) return <a href={url}>{children}</a>
  return <Link to={`/${url.slice(root.href.length)}`}>{children}</Link>
}
