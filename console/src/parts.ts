import { root } from './place.ts'

const pollMs = 2000
const answerMs = 4500
/** While the gateway answers, the page loads itself again once in this time: a broken build makes no loop. */
const reloadEveryMs = 60_000
const reloadedAt = 'console-reloaded-at'

/** Whether a part of the console cannot be loaded because the gateway does not answer. */
let isAway = false
const changes = new EventTarget()

export function isGatewayAway(): boolean {
  return isAway
}

export function onAwayChange(listener: () => void): () => void {
  changes.addEventListener('change', listener)
  return () => changes.removeEventListener('change', listener)
}

function setAway(value: boolean): void {
  if (isAway === value) return
  isAway = value
  changes.dispatchEvent(new Event('change'))
}

/**
 * Loads a part of the console, such as a screen. While the gateway does not answer, this waits until it
 * does. A part that is missing then is of another build: the page is loaded again, once.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    const wasAway = await untilAnswering()
    return loadAgain(load, wasAway)
  }
}

async function loadAgain<Part>(load: () => Promise<Part>, wasAway: boolean): Promise<Part> {
  try {
    if (isStyleLost) throw new Error('A style sheet was not loaded.')
    return await load()
  } catch (cause) {
    if (!wasAway && !mayReload()) throw new Error('A part of the console is missing.', { cause })
    location.reload()
    return new Promise(() => {})
  }
}

let isStyleLost = false
addEventListener('vite:preloadError', (event) => {
  // The builder's loader asks for each style sheet once, so only a new page has it.
  if (event.payload.message.includes('CSS')) isStyleLost = true
})

/** Loads the page again as soon as the gateway answers, so that the browser has no error page to show. */
export async function reloadPage(): Promise<void> {
  await untilAnswering()
  location.reload()
}

/** Returns whether this had to wait. */
async function untilAnswering(): Promise<boolean> {
  let hasWaited = false
  while (!(await isAnswering())) {
    hasWaited = true
    setAway(true)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  setAway(false)
  return hasWaited
}

async function isAnswering(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerMs)
    return (await fetch(root, { method: 'HEAD', cache: 'no-store', signal })).ok
  } catch {
    return false
  }
}

function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(reloadedAt) ?? 0)
  if (Date.now() - last < reloadEveryMs) return false
  sessionStorage.setItem(reloadedAt, String(Date.now()))
  return true
}
