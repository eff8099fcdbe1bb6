/** What to say while an outcome is unknown: also why a repeat was refused before the service has looked for the first request. */
import { isUnsure } from '../api/api-error.ts'
import { problemText } from './problem-text.ts'

export const doubtText = (doubt: string, error: unknown): string =>
  error === undefined || isUnsure(error) ? doubt : `${doubt} ${problemText(error)}`
