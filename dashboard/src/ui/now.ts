/** The time of now for what says how long ago something was: it moves on while somebody looks. */
import { useSyncExternalStore } from 'react'

const stepMs = 10_000

function subscribe(notice: () => void): () => void {
  const timer = setInterval(notice, stepMs)
  return () => clearInterval(timer)
}

/** In steps, so that a screen of hundred times is not drawn at every tick. */
function steppedNow(): number {
  return Math.floor(Date.now() / stepMs) * stepMs
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, steppedNow)
}
