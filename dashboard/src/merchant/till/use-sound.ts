/** The sound of the till: the choice is kept on this device; the browser allows it only after a touch. */
import { useEffect, useState } from 'react'
import { useLanguage } from '../../i18n/define-texts.ts'
import type { Till } from '../../api/operations.ts'
import { createVoice } from './voice.ts'

const storageKey = 'malipo-till-sound'

export type Sound = {
  isWanted: boolean
  /** Wanted, but the browser waits for a touch: after a reload. */
  isBlocked: boolean
  turn(on: boolean): void
  announce(payments: Till['payments']): void
}

export function useSound(): Sound {
  const language = useLanguage()
  const [isWanted, setIsWanted] = useState(() => localStorage.getItem(storageKey) === 'on')
  const [isRunning, setIsRunning] = useState(false)
  const [voice] = useState(() => createVoice(setIsRunning))
  useEffect(() => () => voice.turnOff(), [voice])
  useEffect(() => {
    const wake = (): void => void (document.visibilityState === 'visible' && voice.wake())
    document.addEventListener('visibilitychange', wake)
    return () => document.removeEventListener('visibilitychange', wake)
  }, [voice])
  const turn = (on: boolean): void => {
    localStorage.setItem(storageKey, on ? 'on' : 'off')
    setIsWanted(on)
    setIsRunning(false)
    if (!on) return voice.turnOff()
    void voice.turnOn(language).then(
      () => setIsRunning(true),
      () => undefined,
    )
  }
  return {
    isWanted,
    isBlocked: isWanted && !isRunning,
    turn,
    announce: (payments) => payments.forEach(({ amount }) => voice.announce(amount, language)),
  }
}
