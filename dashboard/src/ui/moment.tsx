/** A moment, in the time of Dar es Salaam; pointing at it shows UTC. `ago` says how long it has been instead; `hasSeconds` is for what follows closely. */
import { useLanguage } from '../i18n/define-texts.ts'
import { useNow } from './now.ts'
import { agoText, momentText, utcText } from './format.ts'

type Props = { at: string; ago?: boolean; hasSeconds?: boolean }

export function Moment({ at, ago = false, hasSeconds = false }: Props) {
  const language = useLanguage()
  const now = useNow()
  const text = momentText(at, language, hasSeconds)
  return (
    <time dateTime={at} title={ago ? `${text} · ${utcText(at)}` : utcText(at)} className="figures nowrap">
      {ago ? agoText(at, language, now) : text}
    </time>
  )
}
