/**
 * The request and the trace (W3C Trace Context) of the current work. All calls of the work know it, across waits, so that every
 * log line and every outgoing request contains it without an argument. Work that serves many requests has no trace.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { pooledRandomBytes } from '../ids.ts'

export type Trace = {
  requestId: string
  /** 32 hexadecimal digits, in lower case. */
  traceId: string
  /** Public ids of the objects that the work concerns. */
  about: string[]
}

const traces = new AsyncLocalStorage<Trace | undefined>()

export function inTrace<Result>(trace: Trace, work: () => Result): Result {
  return traces.run(trace, work)
}

/** For work that outlives the request that starts it: a batch, a connection. */
export function outsideTraces<Result>(work: () => Result): Result {
  return traces.run(undefined, work)
}

export function currentTrace(): Trace | undefined {
  return traces.getStore()
}

/** Adds an id that the current work concerns, for its log lines from now on. */
export function addToTrace(id: string): void {
  const trace = traces.getStore()
  if (trace && !trace.about.includes(id)) trace.about.push(id)
}

/** The trace of a stored record: the trace that it began with, or its own id if that trace is unknown. */
export function storedTrace(stored: { requestId: string; traceId: string | null; id: string; about: string }): Trace {
  const { requestId, traceId, id, about } = stored
  return { requestId, traceId: (traceId ?? id).replaceAll('-', ''), about: [about] }
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The trace id of a caller's `traceparent`; undefined when it is invalid, and a new trace begins. */
export function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined
  const [, version, traceId, parentId, more] = shape.exec(traceparent) ?? []
  // A later version may have more parts; this one has four. All zeros are not a valid id.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return /^0+$/.test(traceId!) || /^0+$/.test(parentId!) ? undefined : traceId
}

export function newTraceId(): string {
  return pooledRandomBytes(16).toString('hex')
}

/** The header that passes a trace on; each outgoing request is a separate span. */
export function traceparentOf(traceId: string): string {
  return `00-${traceId}-${pooledRandomBytes(8).toString('hex')}-01`
}
