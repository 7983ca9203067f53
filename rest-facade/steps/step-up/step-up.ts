/** When a session needs a fresh proof of who is at the browser. */
export interface StepUp {
  /** Whether the facade asks for a proof: always, never, or as the body says. */
  readonly isAsked: boolean | ((body: Readonly<Record<string, unknown>>) => boolean)
  /** Whether the subgraph may ask too, because it knows what is stored. */
  readonly isJudged?: boolean
}
