/** Output: sentences and columns for people; with `--json`, one object per line for programs. */
import type { PaymentStatus, WebhookEvent } from '@malipo/sdk'

export type Output = {
  /** The result of a command. */
  line(text: string, data: object): void
  /** Progress messages: separate from the results, so that the results can be piped. */
  notice(text: string, data: object): void
  /** Never among the results: a program that reads a list gets its items alone. */
  aside(text: string, data: object): void
}

/** Titles and messages come from other systems: their control characters must not reach this terminal. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- These are the characters to remove.
  return text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
}

export function createOutput(isJson: boolean): Output {
  const write = (stream: NodeJS.WriteStream, text: string, data: object): void => {
    stream.write(isJson ? `${JSON.stringify(data)}\n` : `${withoutControls(text)}\n`)
  }
  return {
    line: (text, data) => write(process.stdout, text, data),
    notice: (text, data) => write(isJson ? process.stdout : process.stderr, text, data),
    aside: (text, data) => write(process.stderr, text, data),
  }
}

/** Names and their values, in two columns. */
export function columns(rows: readonly (readonly [string, string | null | undefined])[]): string {
  const shown = rows.filter((row): row is [string, string] => typeof row[1] === 'string')
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

export function money(amount: number, currency: string): string {
  return `${amount.toLocaleString('en-US')} ${currency}`
}

const two = (count: number): string => String(count).padStart(2, '0')

/** The time of day on this machine's clock. */
export function timeOfDay(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
}

export function dayAndTime(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${timeOfDay(date)}`
}

/** The id of the payment, payout, refund or business of an event. */
export function subjectOf({ data }: WebhookEvent): string {
  return 'reference' in data ? data.reference : data.id
}

export function eventColumns({ id, type, data }: WebhookEvent): string {
  const { amount, currency } = 'amount' in data ? data : {}
  return `${type}  ${id}${amount === undefined ? '' : `  ${money(amount, currency ?? 'TZS')}`}`
}

export function paymentRows(payment: PaymentStatus): [string, string | null][] {
  const { failure } = payment
  return [
    ['Reference', payment.reference],
    ['Status', payment.status],
    ['Amount', money(payment.amount, payment.currency)],
    ['Page', `${payment.page.title} (${payment.page.slug})`],
    ['Failure', failure && `${failure.code}: ${failure.message}`],
  ]
}
