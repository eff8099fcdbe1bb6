/** An amount as a row of audio clips: `You received`, then the amount in words, one clip for each word. */
import { amountInWords } from '../../ui/amount-words.ts'
import { clips } from './voice/clips.ts'

export type SpokenLanguage = 'sw' | 'en'

/** A silence between two groups of words, where the written form has a comma. */
export const pause = ','

/** The clip before each amount. */
export const received: Record<SpokenLanguage, string> = { sw: 'umepokea', en: 'you received' }

/** The names of the clips, in order. Whole shillings below a thousand million. */
export function spokenAmount(amount: number, language: SpokenLanguage): string[] {
  const words = amountInWords(amount)[language].toLowerCase().replaceAll(',', ` ${pause}`).split(/[ -]/)
  return [received[language], ...words]
}

/** The silence for a comma, and how far the end of a clip and the start of the next one lie into each other. */
export const commaSeconds = 0.18
const overlapSeconds = 0.04
type Played = { name: string; at: number; from: number; seconds: number }

/** When each clip starts, in seconds from the beginning, and the end of all. */
export function schedule(names: readonly string[], language: SpokenLanguage): { plays: Played[]; seconds: number } {
  let at = 0
  const plays: Played[] = []
  for (const name of names) {
    const clip = clips[language][name]
    if (name === pause || !clip) {
      at += commaSeconds
      continue
    }
    const seconds = (clip[1] - clip[0]) / 1000
    plays.push({ name, at, from: clip[0] / 1000, seconds })
    at += seconds - overlapSeconds
  }
  return { plays, seconds: at }
}
