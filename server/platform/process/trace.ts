/**
 * Which request, and which trace (W3C Trace Context), the work at hand belongs to: known to whatever the work calls, across its waits, so
 * that every line of the log and every request that leaves us says so without being handed it. Work that serves many is nobody's.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { pooledRandomBytes } from '../ids.ts'

export type Trace = {
  requestId: string
  /** 32 digits of hexadecimal, in lower case. */
  traceId: string
  /** Public ids of what the work turned out to be about. */
  about: string[]
}

const traces = new AsyncLocalStorage<Trace | undefined>()

export function inTrace<Result>(trace: Trace, work: () => Result): Result {
  return traces.run(trace, work)
}

/** For what outlives the work that happens to begin it: a batch, a connection. */
export function outsideTraces<Result>(work: () => Result): Result {
  return traces.run(undefined, work)
}

export function currentTrace(): Trace | undefined {
  return traces.getStore()
}

/** Says what the work at hand is about, for its lines from now on. */
export function noteAbout(id: string): void {
  const trace = traces.getStore()
  if (trace && !trace.about.includes(id)) trace.about.push(id)
}

/** The trace of something stored: what it was begun with, or, where that is not known, its own id. */
export function storedTrace(stored: { requestId: string; traceId: string | null; id: string; about: string }): Trace {
  const { requestId, traceId, id, about } = stored
  return { requestId, traceId: (traceId ?? id).replaceAll('-', ''), about: [about] }
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The trace that a caller's `traceparent` names; undefined where it is not one, and a new trace begins. */
export function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined
  const [, version, traceId, parentId, more] = shape.exec(traceparent) ?? []
  // A later version may say more; this one says four things. All noughts are no id.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  return /^0+$/.test(traceId!) || /^0+$/.test(parentId!) ? undefined : traceId
}

export function newTraceId(): string {
  return pooledRandomBytes(16).toString('hex')
}

/** The header that carries a trace on; each request that leaves is a step of its own. */
export function traceparentOf(traceId: string): string {
  return `00-${traceId}-${pooledRandomBytes(8).toString('hex')}-01`
}
