/**
 * A number of credits in a sentence: `1 credit`, `5 credits`. `shown` is the number as it is written there, such as
 * `1,000`.
 */
export function countedCredits(count: number, shown = String(count)): string {
  return `${shown} credit${count === 1 ? '' : 's'}`
}
