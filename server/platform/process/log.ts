/**
 * Structured logs by allowlist: a line contains an event of `logEvents`, its message and the fields that the caller names. Errors
 * are reduced to name, code, message and stack; request bodies, headers, phones, names, e-mails and secrets are never logged.
 */
import { pino, type DestinationStream } from 'pino'
import { logEvents, type LogEvent } from '../../domain/log-events.ts'
import { currentTrace } from './trace.ts'

/** `alert: true` marks a line that an operator must act on. */
export type LogFields = Record<string, string | number | boolean | null | undefined | string[]>

export type Log = {
  debug(event: LogEvent, fields?: LogFields): void
  info(event: LogEvent, fields?: LogFields): void
  warn(event: LogEvent, fields?: LogFields): void
  error(event: LogEvent, error: unknown, fields?: LogFields): void
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error_name: typeof error }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const constraint = 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
  // PostgreSQL quotes the value in its messages about bad values (SQLSTATE class 22), and in `detail`: neither is logged.
  if (code?.startsWith('22')) return { error_name: error.name, error_code: code, error_constraint: constraint }
  return {
    error_name: error.name,
    error_code: code,
    error_constraint: constraint,
    error_message: error.message,
    error_stack: error.stack,
  }
}

/** The request and trace of a line; fields of the caller override them. */
function traceFields(): LogFields {
  const trace = currentTrace()
  if (!trace) return {}
  const { requestId, traceId, about } = trace
  return { request_id: requestId, trace_id: traceId, ...(about.length > 0 && { about }) }
}

export function createLog(options: { level: LogLevel; role: string; destination?: DestinationStream }): Log {
  const logger = pino(
    {
      level: options.level,
      base: { role: options.role },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  )
  const lineOf = (level: 'debug' | 'info' | 'warn') => (event: LogEvent, fields?: LogFields) => {
    if (logger.isLevelEnabled(level)) logger[level]({ ...traceFields(), ...fields, event }, logEvents[event])
  }
  return {
    debug: lineOf('debug'),
    info: lineOf('info'),
    warn: lineOf('warn'),
    error: (event, error, fields) =>
      logger.error({ ...traceFields(), ...fields, ...errorFields(error), event }, logEvents[event]),
  }
}
