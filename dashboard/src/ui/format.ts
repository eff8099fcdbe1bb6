/**
 * Formats of amounts, times and numbers, in the current language or in a given one; a component that has texts follows the language.
 * Money is whole shillings; times are in Dar es Salaam.
 */
import { currentLanguage } from '../i18n/current-language.ts'
import type { Language } from '../i18n/translator.ts'

const locales: Record<Language, string> = { sw: 'sw-TZ', en: 'en-TZ' }
export const timeZone = 'Africa/Dar_es_Salaam'

function perLanguage<Format>(make: (locale: string) => Format): (language: Language) => Format {
  const made = new Map<Language, Format>()
  return (language) => {
    let format = made.get(language)
    if (!format) {
      format = make(locales[language])
      made.set(language, format)
    }
    return format
  }
}

const whole = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }))
const share = perLanguage((locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }))
const tenths = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }))
const short = perLanguage((locale) => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }))
const day = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { timeZone, day: 'numeric', month: 'short', year: 'numeric' }),
)
const shortDay = perLanguage((locale) => new Intl.DateTimeFormat(locale, { timeZone, day: 'numeric', month: 'short' }))
const month = perLanguage((locale) => new Intl.DateTimeFormat(locale, { timeZone, month: 'long', year: 'numeric' }))
// Swahili counts hours from dawn: two digits of 24 hours are unambiguous.
const time = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
)
const secondTime = perLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
)
const relative = perLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))

/** `TSh 25,000`, and `−TSh 5,000` for money that left; no line ends within it. */
export function money(amount: number, language = currentLanguage()): string {
  const figure = `TSh\u00a0${whole(language).format(Math.abs(amount))}`
  return amount < 0 ? `−${figure}` : figure
}

/** `+255754222444`, and what is typed like it, as `0754 222 444`; every other text as it is. */
export function phoneText(number: string): string {
  const parts = /^(?:\+?255|0)(\d{3})(\d{3})(\d{3})$/.exec(number.replaceAll(/[\s-]/g, ''))
  return parts ? `0${parts[1]} ${parts[2]} ${parts[3]}` : number
}

export function count(value: number, language = currentLanguage()): string {
  return whole(language).format(value)
}

/** `0.934` as `93.4%`. */
export function percent(value: number, language = currentLanguage()): string {
  return share(language).format(value)
}

/** `420 ms`, `1.4 s`. */
export function milliseconds(value: number, language = currentLanguage()): string {
  return value < 1000 ? `${whole(language).format(value)} ms` : `${tenths(language).format(value / 1000)} s`
}

/** `2.4 MB`, and smaller sizes in KB. */
export function megabytes(bytes: number, language = currentLanguage()): string {
  if (bytes < 1_000_000) return `${whole(language).format(Math.max(1, bytes / 1000))} KB`
  return `${tenths(language).format(bytes / 1_000_000)} MB`
}

/** For the axis of a chart: `1.2M`. */
export function shortNumber(value: number, language = currentLanguage()): string {
  return short(language).format(value)
}

export function dayText(moment: string, language = currentLanguage()): string {
  return day(language).format(new Date(moment))
}

/** A calendar day, `2026-09-30`, without its year. */
export function calendarDayText(date: string, language = currentLanguage()): string {
  return shortDay(language).format(new Date(`${date}T12:00:00+03:00`))
}

/** A month, `2026-09`, as `September 2026`. */
export function monthText(yearAndMonth: string, language = currentLanguage()): string {
  return month(language).format(new Date(`${yearAndMonth}-15T12:00:00+03:00`))
}

export function momentText(moment: string, language = currentLanguage(), hasSeconds = false): string {
  const date = new Date(moment)
  return `${day(language).format(date)}, ${(hasSeconds ? secondTime : time)(language).format(date)}`
}

export function clockText(moment: number, language = currentLanguage()): string {
  return time(language).format(moment)
}

export function utcText(moment: string): string {
  return `${new Date(moment).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

const units: readonly [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** `3 minutes ago`; less than a minute is shown as now. */
export function agoText(moment: string, language: Language, nowMs: number): string {
  const seconds = Math.round((Date.parse(moment) - nowMs) / 1000)
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return relative(language).format(unit === 'second' ? 0 : Math.trunc(seconds / size), unit)
}
