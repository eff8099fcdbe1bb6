/**
 * After an upgrade the files of the version before are gone, and a tab that was opened before needs them for each part that it has not
 * loaded yet: it is loaded again, at most once a minute. Without a network it stays as it is.
 */
const place = 'malipo_reloaded_at'
const onceMs = 60_000

/** Whether the service answers, and has not the file that the error names; Safari names none. */
async function isGone(error: unknown): Promise<boolean> {
  const file = /(?:https?:\/)?\/\S+/.exec(String(error))?.[0]
  const { status } = await fetch(file ?? location.href, { cache: 'no-store' })
  return status === (file === undefined ? 200 : 404)
}

async function reloadIfGone(error: unknown): Promise<void> {
  if (!(await isGone(error))) return
  // Without a place for the time of the last one it could load again for ever: the error of a blocked one ends this.
  const reloadedAt = Number(sessionStorage.getItem(place) ?? 0)
  if (Math.abs(Date.now() - reloadedAt) < onceMs) return
  sessionStorage.setItem(place, String(Date.now()))
  location.reload()
}

export function reloadWithoutFiles(): void {
  addEventListener('vite:preloadError', ({ payload }) => void reloadIfGone(payload).catch(() => undefined))
}
