/** Which shortcut of the frame was pressed. What it does, and the sheet that lists them, are loaded with the first one. */
import { useRef, useState } from 'react'
import { useKeys } from './keys.ts'

/** `?`, `/`, `n`, or `g` and a letter. `number` distinguishes it from the same one before. */
export type Command = { key: string; number: number }

/** The second key of two must follow within this time. */
const secondKeyMs = 1500

/** `run` does what the key would do, also while the keys are off: for a menu. */
export function useCommand(load: () => Promise<unknown>): { command: Command | undefined; run(key: string): void } {
  const [command, setCommand] = useState<Command>()
  const secondUntil = useRef(0)
  const run = (key: string): void => setCommand((last) => ({ key, number: (last?.number ?? 0) + 1 }))
  useKeys((key, { timeStamp, repeat }) => {
    // Shift and others are no keys of their own.
    if (key.length > 1 || repeat) return false
    const isSecond = timeStamp < secondUntil.current
    secondUntil.current = 0
    if (isSecond) run(`g${key}`)
    else if (key === 'g') {
      secondUntil.current = timeStamp + secondKeyMs
      // Before the second key is pressed. If it fails, the shortcut tries again.
      load().catch(() => undefined)
    } else if ('?/n'.includes(key)) run(key)
    else return false
    return true
  }, true)
  return { command, run }
}
