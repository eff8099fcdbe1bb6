/** Whether somebody sits in front of the screen: a page that nobody looks at asks nothing, and lets its session run out. */

const awayAfterMs = 5 * 60_000

let lastSeenAt = Date.now()

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'] as const) {
  addEventListener(event, () => void (lastSeenAt = Date.now()), { passive: true, capture: true })
}

export function isPersonHere(): boolean {
  return document.visibilityState === 'visible' && Date.now() - lastSeenAt < awayAfterMs
}
