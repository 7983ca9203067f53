const noted: string[] = []

/** Notes what is wrong with an answer, for the test that is running. */
export function noteNonconforming(description: string): void {
  noted.push(description)
}

/** Everything noted since the last time. */
export function takeNonconforming(): string[] {
  return noted.splice(0)
}
