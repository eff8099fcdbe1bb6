/** What a device at a counter needs: it can be installed, its screen stays on, and without connection it says so. */
import { useEffect } from 'react'

function addManifest(): () => void {
  const link = document.createElement('link')
  link.rel = 'manifest'
  link.href = '/dashboard/till.webmanifest'
  document.head.append(link)
  return () => link.remove()
}

/** The screen lock ends when the tab is hidden, and is asked for again when it is back. */
function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | undefined
  const ask = (): void => {
    if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    navigator.wakeLock.request('screen').then(
      (got) => void (lock = got),
      // A low battery refuses it: the till works without.
      () => undefined,
    )
  }
  ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    document.removeEventListener('visibilitychange', ask)
    void lock?.release()
  }
}

export function useCounterScreen(): void {
  useEffect(() => {
    // Only on https and localhost.
    if ('serviceWorker' in navigator) void navigator.serviceWorker.register('/dashboard/till-worker.js').catch(() => undefined)
    const ends = [addManifest(), keepScreenOn()]
    return () => ends.forEach((end) => end())
  }, [])
}
