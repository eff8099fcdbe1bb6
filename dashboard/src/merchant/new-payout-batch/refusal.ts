/** Why a whole file was refused, and what to do, in the person's language. */
import { ApiError } from '../../api/api-error.ts'
import { problemText } from '../../ui/problem-text.ts'
import type { newPayoutBatchTexts } from './texts.ts'

type Say = ReturnType<typeof newPayoutBatchTexts.use>

const plain = [
  'payload_too_large',
  'batch_too_large',
  'batch_empty',
  'csv_line_too_long',
  'file_encoding_unsupported',
  'file_type_unsupported',
] as const

/** Columns of a refused header by what is wrong with them. */
const parts = ['missing', 'twice', 'unknown'] as const

function headerText(say: Say, details: ApiError['details']): string {
  const wrong = parts.flatMap((part) => {
    const names = details[part]
    return Array.isArray(names) && names.length > 0 ? say(`problem.${part}`, { names: names.join(', ') }) : []
  })
  return [say('problem.csv_header_invalid'), ...wrong].join(' ')
}

export function refusalText(say: Say, error: unknown): string {
  // A file that another program has moved or changed fails in the browser.
  if (error instanceof DOMException) return say('problem.unreadable')
  if (!(error instanceof ApiError)) return problemText(error)
  const { code, details } = error
  if (code === 'csv_header_invalid') return headerText(say, details)
  if (code === 'csv_invalid') {
    const line = details['line']
    return typeof line === 'number' ? say('problem.csv_invalid', { line }) : say('problem.csv_invalid_somewhere')
  }
  const known = plain.find((one) => one === code)
  return known ? say(`problem.${known}`) : problemText(error)
}
