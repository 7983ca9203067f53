/** The play credits that a sandbox starts with. */
export const sandboxCredits = 100_000
