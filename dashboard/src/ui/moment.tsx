/** A moment, in the time of Dar es Salaam; pointing at it shows UTC. `ago` says how long it has been instead. */
import { useLanguage } from '../i18n/define-texts.ts'
import { useNow } from './now.ts'
import { agoText, momentText, utcText } from './format.ts'

export function Moment({ at, ago = false }: { at: string; ago?: boolean }) {
  const language = useLanguage()
  const now = useNow()
  const text = momentText(at, language)
  return (
    <time dateTime={at} title={ago ? `${text} · ${utcText(at)}` : utcText(at)} className="figures nowrap">
      {ago ? agoText(at, language, now) : text}
    </time>
  )
}
