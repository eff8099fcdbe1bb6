/** Error messages: for errors of the service (code, message, request id), of the connection, and of the command line. Never a stack trace. */
import { MalipoAbortedError, MalipoConnectionError, MalipoError, PaymentNotFinalError } from '@malipo/sdk'
import { CommandError, UsageError } from './command.ts'

export type Trouble = { exitCode: 1 | 2; text: string; data: Record<string, unknown> }

const advice: Record<string, string> = {
  authentication_required: 'Run "malipo login" with a key of one of your test apps.',
  invalid_api_key: 'Run "malipo login" with a key of one of your test apps.',
  api_key_revoked: 'Create a new key in your dashboard and run "malipo login" with it.',
  api_key_expired: 'Create a new key in your dashboard and run "malipo login" with it.',
}

function scopeAdvice({ details }: MalipoError): string | undefined {
  const scope = details['required_scope']
  return typeof scope === 'string' ? `Use a key with the scope ${scope}.` : undefined
}

function sentenceOf(error: MalipoError): string {
  const broken = error.errors.map(({ field, code, message }) => `  ${field}: ${code}: ${message}`)
  const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`
  const next = scopeAdvice(error) ?? advice[error.code]
  return [`${error.code}: ${error.message}${request}`, ...broken, ...(next ? [next] : [])].join('\n')
}

/** Whether the same request may succeed a little later. */
export function isPassing(error: unknown): error is MalipoError | MalipoConnectionError {
  if (error instanceof MalipoConnectionError) return true
  return error instanceof MalipoError && (error.httpStatus === 429 || error.httpStatus >= 500)
}

/** The first code in the chain of causes, such as ECONNREFUSED. */
function causeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : causeOf(error.cause)
}

/** Codes of a refusal after which the request may have been carried out. */
const maybeDone = new Set(['unexpected_answer', 'idempotency_in_progress'])

/** `mayRepeat`: the command takes a `--key`, with which a repeat creates nothing new. */
export function troubleOf(error: unknown, baseUrl: string | undefined, mayRepeat: boolean): Trouble {
  const trouble = describe(error, baseUrl)
  const { idempotencyKey: key } = error as { idempotencyKey?: string }
  if (key === undefined) return trouble
  const isUnknown = isPassing(error) || !(error instanceof MalipoError) || maybeDone.has(error.code)
  if (!mayRepeat || !isUnknown) return trouble
  const text = `${trouble.text}\nRepeat it with --key ${key}: it creates nothing new.`
  return { ...trouble, text, data: { ...trouble.data, idempotency_key: key } }
}

function describe(error: unknown, baseUrl: string | undefined): Trouble {
  if (error instanceof UsageError) return { exitCode: 2, text: error.message, data: { code: 'usage', message: error.message } }
  if (error instanceof MalipoError) {
    const { code, message, requestId, errors, details } = error
    return { exitCode: 1, text: sentenceOf(error), data: { code, message, request_id: requestId, errors, details } }
  }
  if (error instanceof MalipoConnectionError) {
    const where = baseUrl ?? 'the service'
    const cause = causeOf(error)
    const text = `${error.message}${cause === undefined ? '' : ` Cause: ${cause}.`} Is ${where} the right address, and is the service running there? MALIPO_BASE_URL names another.`
    return { exitCode: 1, text, data: { code: error.reason, message: error.message, cause } }
  }
  if (error instanceof MalipoAbortedError)
    return { exitCode: 1, text: error.message, data: { code: 'aborted', message: error.message } }
  if (error instanceof PaymentNotFinalError) {
    const text = `${error.message} It has not failed: check it again later.`
    return { exitCode: 1, text, data: { code: 'not_final', message: error.message } }
  }
  if (error instanceof CommandError)
    return { exitCode: 1, text: error.message, data: { code: 'refused', message: error.message } }
  const { message } = error as Error
  // The system's message (EACCES, ENOSPC …) already explains the error; anything else is a bug of this program.
  const text = typeof (error as NodeJS.ErrnoException).code === 'string' ? message : `Internal error of malipo: ${message}`
  return { exitCode: 1, text, data: { code: 'unexpected', message } }
}
