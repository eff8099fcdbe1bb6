/** A filter that is typed: shown at once, and changed when the typing pauses. */
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

/** The delay between the last key press and the request. */
const typingMs = 300

/** Calls `onChange` when the typing pauses; another change of `value`, as by going back, takes precedence. */
export function useTyped<Value>(value: Value | undefined, onChange: (value: Value | undefined) => void) {
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    setTyped(value)
  }
  const changeLater = useDebouncedCallback(onChange, typingMs)
  return {
    value: typed,
    onChange: (next: Value | undefined) => {
      setTyped(next)
      changeLater(next)
    },
  }
}
