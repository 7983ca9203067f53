/** The credits of a purchase, and its price with tax. */
interface Purchase {
  readonly credits: number
  readonly totalCents: number
}

/**
 * The credits that belong to the returned cents, rounded down. When all cents were returned, these
 * are all credits, and they are never more than were bought.
 */
export function owedCredits({ credits, totalCents }: Purchase, returnedCents: number): number {
  if (returnedCents >= totalCents) return credits
  // The product may exceed what a number holds exactly.
  return Number((BigInt(credits) * BigInt(returnedCents)) / BigInt(totalCents))
}
