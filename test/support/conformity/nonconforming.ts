const noted: string[] = []

/** Notes the mistakes of an answer, for the running test. */
export function noteNonconforming(description: string): void {
  noted.push(description)
}

/** Everything noted since the last time. */
export function takeNonconforming(): string[] {
  return noted.splice(0)
}
