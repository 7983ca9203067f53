/** So long after the last touch of a person an open page goes on asking by itself. */
const attendedMs = 5 * 60_000

let touchedAt = Date.now()
for (const kind of ['pointerdown', 'keydown', 'wheel', 'focus']) {
  addEventListener(kind, () => (touchedAt = Date.now()), { capture: true, passive: true })
}

/**
 * Whether somebody has used the page of late. A page that nobody uses asks nothing: each request would
 * keep its session from ending.
 */
export function isAttended(): boolean {
  return Date.now() - touchedAt < attendedMs
}
