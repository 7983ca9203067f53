/** `90 days`, `1 hour`: in the largest unit that divides the time. */
export function duration(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const
  const [name, size] = units.find(([, size]) => seconds % size === 0) ?? ['second', 1]
  const count = seconds / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
