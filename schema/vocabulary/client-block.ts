/**
 * The block that counts as one client: a v4 address, or the /64 block of a v6 one, because every v6
 * network has such a block and may use any address in it. Takes the spelling of `plainAddress`.
 */
export function clientBlock(address: string): string {
  if (!address.includes(':')) return address
  return v6Groups(address).slice(0, 4).join(':')
}

/**
 * The network that counts as one sender of mails: /24 of v4, /56 of v6. Providers give a household up to a /56, and
 * neighbours of a v4 address are cheap to have.
 */
export function networkBlock(address: string): string {
  if (!address.includes(':')) return address.split('.').slice(0, 3).join('.')
  const [a = '0', b = '0', c = '0', d = '0'] = v6Groups(address)
  return [a, b, c, d.padStart(4, '0').slice(0, 2)].join(':')
}

function v6Groups(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const before = groupsOf(head)
  if (tail === undefined) return before
  const after = groupsOf(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after]
}

/** A v4 address at the end is two groups; which ones does not matter here. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.replace('.', ':').split(':')
}
