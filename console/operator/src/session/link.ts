const name = 'token='

/** The secret of the link that opened this page, taken from the address before anything else runs; empty without one. */
let secret = takeSecret()

function takeSecret(): string {
  if (!location.hash.startsWith(`#${name}`)) return ''
  const found = location.hash.slice(name.length + 1)
  history.replaceState(history.state, '', location.pathname + location.search)
  return found
}

export function secretOfLink(): string {
  return secret
}

/** A link opens one session, or proves one. */
export function forgetLink(): void {
  secret = ''
}

/** The secret in a link that was pasted, or in the secret itself. */
export function secretIn(text: string): string {
  const place = text.indexOf(`#${name}`)
  return (place === -1 ? text : text.slice(place + name.length + 1)).trim()
}
