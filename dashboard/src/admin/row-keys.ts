/** The keys j and k move between the rows of a list, as in a mailbox. */
import { useRef, type RefObject } from 'react'
import { useKeys } from '../ui/keys.ts'

/** Rows are found by their `RowLink` with `data-row`; `others` are further keys, called with the `data-row` of the current row. */
export function useRowKeys(others: Record<string, (row: string) => void> = {}): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  useKeys((key) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const place = rows.findIndex((row) => row === document.activeElement)
    if (key === 'j') rows[Math.min(place + 1, rows.length - 1)]?.focus()
    else if (key === 'k') rows[Math.max(place - 1, 0)]?.focus()
    else if (place >= 0 && others[key]) others[key](rows[place]!.dataset['row']!)
    else return false
    return true
  })
  return list
}
