/** A moment, in the time of Dar es Salaam; pointing at it shows UTC. `ago` says how long it has been instead; `hasSeconds` is for what follows closely; `isOfDay` where the day is said above. */
import { useSyncExternalStore } from 'react'
import { useLanguage } from '../i18n/define-texts.ts'
import { agoText, clockText, momentText, utcText } from './format.ts'

const stepMs = 10_000

function subscribe(notice: () => void): () => void {
  const timer = setInterval(notice, stepMs)
  return () => clearInterval(timer)
}

/** In steps, so that a screen with a hundred times is not rendered at every tick. */
function steppedNow(): number {
  return Math.floor(Date.now() / stepMs) * stepMs
}

/** The time of this device in steps of ten seconds: updates what depends on it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, steppedNow)
}

export type MomentLook = { ago?: boolean; hasSeconds?: boolean; isOfDay?: boolean }

export function Moment({ at, ago = false, hasSeconds = false, isOfDay = false }: MomentLook & { at: string }) {
  const language = useLanguage()
  const now = useNow()
  const text = momentText(at, language, hasSeconds)
  return (
    <time dateTime={at} title={ago || isOfDay ? `${text} · ${utcText(at)}` : utcText(at)} className="figures nowrap">
      {ago ? agoText(at, language, now) : isOfDay ? clockText(Date.parse(at), language) : text}
    </time>
  )
}
