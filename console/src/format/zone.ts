import { useSyncExternalStore } from 'react'

/** The time zone of the browser (IANA). */
export const localZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The name under which the browser remembers the choice. */
const kept = 'time-zone'
const changes = new EventTarget()

let zone = zoneOf(read())

/** The time zone that all times and charts share: `UTC`, or that of the browser. */
export function useZone(): string {
  return useSyncExternalStore(onChange, () => zone)
}

/** As `useZone`, for what happens after a click. */
export function currentZone(): string {
  return zone
}

export function chooseZone(chosen: string): void {
  if (chosen === zone) return
  zone = zoneOf(chosen)
  try {
    localStorage.setItem(kept, zone)
  } catch {
    // A browser that stores nothing shows the chosen zone until the page is closed.
  }
  changes.dispatchEvent(new Event('change'))
}

function onChange(listener: () => void): () => void {
  changes.addEventListener('change', listener)
  return () => changes.removeEventListener('change', listener)
}

function read(): string | null {
  try {
    return localStorage.getItem(kept)
  } catch {
    return null
  }
}

function zoneOf(chosen: string | null): string {
  return chosen === 'UTC' ? 'UTC' : localZone
}
