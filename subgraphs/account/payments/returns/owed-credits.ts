/** What was bought, and what was paid for it, tax included. */
interface Purchase {
  readonly credits: number
  readonly totalCents: number
}

/**
 * The credits that belong to the cents that came back, rounded down; all credits once all cents did,
 * and never more than were bought.
 */
export function owedCredits({ credits, totalCents }: Purchase, returnedCents: number): number {
  if (returnedCents >= totalCents) return credits
  // The product may exceed what a number holds exactly.
  return Number((BigInt(credits) * BigInt(returnedCents)) / BigInt(totalCents))
}
