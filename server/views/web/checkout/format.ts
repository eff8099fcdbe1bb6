/** Money and time in the format for payers in Tanzania, the same on every screen. */
import type { Language } from './messages.ts'

export { shillings as money } from '../../../domain/currency.ts'

const settings: Intl.DateTimeFormatOptions = {
  timeZone: 'Africa/Dar_es_Salaam',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  // Many people in East Africa count hours from dawn; 24-hour time is unambiguous.
  hourCycle: 'h23',
}
const formats: Record<Language, Intl.DateTimeFormat> = {
  sw: new Intl.DateTimeFormat('sw-TZ', settings),
  en: new Intl.DateTimeFormat('en-GB', settings),
}

/** Date and time in East Africa, such as `20 Novemba 2026, 18:04`. */
export function dateTime(time: Date, language: Language): string {
  const part = Object.fromEntries(formats[language].formatToParts(time).map(({ type, value }) => [type, value]))
  return `${part['day']} ${part['month']} ${part['year']}, ${part['hour']}:${part['minute']}`
}

/** Hours and minutes in East Africa, the same in both languages: `18:04`. */
export function clockTime(time: Date): string {
  return time.toLocaleTimeString('en-GB', {
    timeZone: 'Africa/Dar_es_Salaam',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}
