/** The NODE_OPTIONS of a process whose clock is wrong by so much: ahead or, if it is negative, behind. */
export function wrongClock(byMs: number): string {
  const module = `
    const Here = Date
    globalThis.Date = class Date extends Here {
      constructor(...given) {
        super(...(given.length === 0 ? [Date.now()] : given))
      }
      static now() {
        return Here.now() + ${byMs}
      }
    }
  `
  return `--import=data:text/javascript,${encodeURIComponent(module)}`
}

export const twoHoursMs = 7_200_000
