/** A touch of a person counts as use for so long; the gateway writes a use down as often. */
const attendedMs = 60_000

let touchedAt = Date.now()
for (const kind of ['pointerdown', 'keydown', 'wheel']) {
  addEventListener(kind, () => (touchedAt = Date.now()), { capture: true, passive: true })
}

/**
 * Whether somebody uses the page. What the page asks by itself while nobody does must not keep its session
 * from ending.
 */
export function isAttended(): boolean {
  return Date.now() - touchedAt < attendedMs
}
