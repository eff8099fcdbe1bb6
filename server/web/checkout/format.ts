/** Money and time as payers in Tanzania read them, the same on every screen. */
import type { Language } from './messages.ts'

/** `TSh 25,000`: grouped by commas in both languages, never a decimal. */
export function money(amountTzs: number): string {
  return `TSh ${amountTzs.toLocaleString('en')}`
}

const settings: Intl.DateTimeFormatOptions = {
  timeZone: 'Africa/Dar_es_Salaam',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  // Many count the hours from dawn; 24-hour digits can be read in one way only.
  hourCycle: 'h23',
}
const formats: Record<Language, Intl.DateTimeFormat> = {
  sw: new Intl.DateTimeFormat('sw-TZ', settings),
  en: new Intl.DateTimeFormat('en-GB', settings),
}

/** Day and time in East Africa, such as `20 Novemba 2026, 18:04`. */
export function dateTime(time: Date, language: Language): string {
  const part = Object.fromEntries(formats[language].formatToParts(time).map(({ type, value }) => [type, value]))
  return `${part['day']} ${part['month']} ${part['year']}, ${part['hour']}:${part['minute']}`
}
