/** Twice the size of a request: a literal or an argument may repeat a variable that is sent once. */
export const maxValueSize = 2 * 1024 * 1024

/** About as much as the text of the value. Stops counting above the maximum. */
export function valueSize(value: unknown): number {
  return sizeOf(value, maxValueSize)
}

function sizeOf(value: unknown, room: number): number {
  if (typeof value === 'string') return value.length
  let size = 8
  if (typeof value !== 'object' || value === null) return size
  for (const [name, member] of Object.entries(value)) {
    size += name.length + sizeOf(member, room - size)
    if (size > room) return size
  }
  return size
}
