/** When a session needs a fresh proof of who is at the browser. */
export interface StepUp {
  /** What the facade sees by itself: always, never, or as the body says. */
  readonly isAsked: boolean | ((body: Readonly<Record<string, unknown>>) => boolean)
  /** The subgraph asks too, because it knows what is stored. */
  readonly isJudged?: boolean
}
