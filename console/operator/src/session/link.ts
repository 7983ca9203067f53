const name = 'token='
const changes = new EventTarget()

/** The secret of the link that the address had; empty: none. It leaves the address before anything else runs. */
let secret = takeSecret()
/** How many links this document has seen. */
let links = 1

// A link that is opened in the tab of the page changes only what follows the `#`.
addEventListener('hashchange', () => {
  const found = takeSecret()
  if (found !== '') change(found)
})

function takeSecret(): string {
  if (!location.hash.startsWith(`#${name}`)) return ''
  const found = location.hash.slice(name.length + 1)
  history.replaceState(history.state, '', location.pathname + location.search)
  return found
}

function change(to: string): void {
  secret = to
  links += 1
  changes.dispatchEvent(new Event('change'))
}

export function secretOfLink(): string {
  return secret
}

/** Null: there is no link. Otherwise a number that only this link has. */
export function numberOfLink(): number | null {
  return secret === '' ? null : links
}

export function onLink(listener: () => void): () => void {
  changes.addEventListener('change', listener)
  return () => changes.removeEventListener('change', listener)
}

/** A link opens one session, or proves one. */
export function forgetLink(): void {
  change('')
}

/** The secret in a link that was pasted, or in the secret itself. */
export function secretIn(text: string): string {
  const place = text.indexOf(`#${name}`)
  return (place === -1 ? text : text.slice(place + name.length + 1)).trim()
}
