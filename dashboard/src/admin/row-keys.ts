/**
 * The keys j and k move between the rows of a list, as in a mailbox. They are off while a field has the focus, and can be turned off,
 * because voice control may type single letters.
 */
import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useRef, type RefObject } from 'react'

export type RowKeys = { list: RefObject<HTMLDivElement | null>; isOn: boolean; setIsOn(isOn: boolean): void }

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input:not([type=radio]), textarea, select, [role=dialog]') !== null
}

/** Rows are found by their `RowLink` with `data-row`; `others` are further keys, called with the `data-row` of the current row. */
export function useRowKeys(others: Record<string, (row: string) => void> = {}): RowKeys {
  const list = useRef<HTMLDivElement>(null)
  const [isOn, setIsOn] = useLocalStorage({ key: 'malipo-row-keys', defaultValue: true })
  const known = useRef(others)
  useEffect(() => {
    known.current = others
  })
  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
      const place = rows.findIndex((row) => row === document.activeElement)
      if (event.key === 'j') rows[Math.min(place + 1, rows.length - 1)]?.focus()
      else if (event.key === 'k') rows[Math.max(place - 1, 0)]?.focus()
      else if (place >= 0) known.current[event.key]?.(rows[place]!.dataset['row']!)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOn])
  return { list, isOn, setIsOn }
}
