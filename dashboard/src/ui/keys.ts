/**
 * Shortcuts of single keys: the one listener of both apps. They are off with modifier keys, and while a field, a menu or a dialog has the
 * focus. They can be turned off, because voice control may type single letters (WCAG 2.1.4).
 */
import { useEffect, useRef } from 'react'

/** The name is older than the other shortcuts: keys of rows that a person turned off stay off. */
export const keysStorage = 'malipo-row-keys'

export const areKeysOn = (): boolean => localStorage.getItem(keysStorage) !== 'false'

/** Returns whether it uses the key. */
type Press = (key: string, event: KeyboardEvent) => boolean

const users: Press[] = []

/** Screens with unsent input, which one key would throw away. */
let unsent = 0

const busy = 'input:not([type=radio]):not([type=checkbox]),textarea,select,[contenteditable=true],[role=dialog],[role=menu]'

function press(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey, altKey, defaultPrevented, isComposing } = event
  if (ctrlKey || metaKey || altKey || defaultPrevented || isComposing || !areKeysOn()) return
  if (unsent > 0 || (target instanceof Element && target.closest(busy))) return
  if (users.some((use) => use(key, event))) event.preventDefault()
}

/** While `isUnsent`, no key does anything: the screen has input that was not sent. */
export function useKeysOff(isUnsent: boolean): void {
  useEffect(() => {
    if (!isUnsent) return undefined
    unsent += 1
    return () => void (unsent -= 1)
  }, [isUnsent])
}

/** `isFirst`: of the frame, before those of a screen. */
export function useKeys(use: Press, isFirst = false): void {
  const latest = useRef(use)
  useEffect(() => {
    latest.current = use
  })
  useEffect(() => {
    const user: Press = (...pressed) => latest.current(...pressed)
    if (users.length === 0) addEventListener('keydown', press)
    if (isFirst) users.unshift(user)
    else users.push(user)
    return () => {
      users.splice(users.indexOf(user), 1)
      if (users.length === 0) removeEventListener('keydown', press)
    }
  }, [isFirst])
}
