/**
 * The block that counts as one client: a v4 address, or the /64 block of a v6 one, because every v6
 * network has such a block and may use any address in it. Takes the spelling of `plainAddress`.
 */
export function clientBlock(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const before = groupsOf(head)
  if (tail === undefined) return before.slice(0, 4).join(':')
  const after = groupsOf(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

/** A v4 address at the end is two groups; which ones does not matter here. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.replace('.', ':').split(':')
}
