/**
 * Parts that a first screen can do without, such as menus: their code is loaded when the first screen is there, or at once when the
 * person touches the page.
 */
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** The data counts as complete when nothing has been loading for so long. */
const quietMs = 250
const atTheLatestMs = 15_000

let resolveFirstScreen: () => void
/** Resolves when the first screen is there, or the person touches the page. */
export const firstScreen = new Promise<void>((resolve) => {
  resolveFirstScreen = resolve
})

/** Called by a screen that needs no data. */
export function showsFirstScreen(): void {
  resolveFirstScreen()
}

/** Called once, by the app. */
export function waitForFirstScreen(client: QueryClient): void {
  for (const event of ['pointerdown', 'keydown'] as const) {
    addEventListener(event, showsFirstScreen, { once: true, capture: true })
  }
  setTimeout(showsFirstScreen, atTheLatestMs)
  let timer: ReturnType<typeof setTimeout> | undefined
  const leave = client.getQueryCache().subscribe(() => {
    clearTimeout(timer)
    const isOnScreen = client
      .getQueryCache()
      .getAll()
      .some((query) => query.getObserversCount() > 0)
    if (client.isFetching() > 0 || !isOnScreen) return
    timer = setTimeout(() => {
      leave()
      showsFirstScreen()
    }, quietMs)
  })
}

/** The loaded part, or undefined until then. A part that could not be loaded is tried again with the next component that needs it. */
export function laterPart<Part>(load: () => Promise<Part>): () => Part | undefined {
  let part: Part | undefined
  let loading: Promise<void> | undefined
  const get = (): Promise<void> =>
    (loading ??= firstScreen
      .then(load)
      .then((loaded) => void (part = loaded))
      .catch(() => void (loading = undefined)))
  return function useLaterPart() {
    const [, setIsThere] = useState(part !== undefined)
    useEffect(() => {
      let isShown = true
      if (part === undefined) void get().then(() => isShown && setIsThere(part !== undefined))
      return () => void (isShown = false)
    }, [])
    return part
  }
}
