/** Random faults, and how often they occur. Invariant: untouched settings are calm: every rate is zero. */
import { z } from 'zod'

/** Every fault has one name, for its rate, its count and the record of its targets. */
export const faultKinds = [
  /** The connection is reset and nothing was written. */
  'createLostBefore',
  /** The create is in the books and the connection is reset. */
  'createLostAfter',
  /** The create is in the books and is answered with HTTP 500. */
  'createFailsAfter',
  /** The create is in the books and is answered with HTTP 200 and half a document. */
  'createMalformed',
  /** Nothing happens for `hangMs`; then the create is accepted, even if the caller has left. */
  'createHangs',
  /** Refused with PAY_001, nothing was written. */
  'createPay001',
  /** Refused with 429, nothing was written. */
  'createRateLimited',
  /** Refused with INT_003, nothing was written. */
  'createUnreachable',
  /** The event is never sent. */
  'webhookLost',
  /** The event is sent two to four times under one id. */
  'webhookRepeated',
  /** The event is sent a second time under a new id. */
  'webhookRepeatedNewId',
  /** The first attempt waits for a time of `webhookDelayMs`, so that a later event may overtake it. */
  'webhookDelayed',
  /** The event names an amount that is not the charge's. */
  'webhookAmountLies',
  /** A false failure event is sent before the success event. Charges only. */
  'webhookFailureFirst',
  /** A false failure event is sent after the success event. Charges only. */
  'webhookStaleFailure',
  /** Every attempt is signed with another secret. */
  'webhookBadSignature',
  /** Every attempt has a timestamp ten minutes older than the event, with a correct signature. */
  'webhookOldTimestamp',
  /** A GET of one charge or payout ends in HTTP 500, a proxy's page with 502, or a reset. */
  'getFails',
  /** A GET of a page of a list ends in the same ways. */
  'listFails',
] as const
export type FaultKind = (typeof faultKinds)[number]

const ms = z.number().int().min(0).max(604_800_000)
const range = z.tuple([ms, ms]).refine(([least, most]) => least <= most, 'the first must not exceed the second')
const rate = z.number().min(0).max(1)

export const stormTable = z.strictObject({
  /** Null draws from the seed of the books. */
  seed: z.string().min(1).nullable(),
  /** Every answer waits for a time between the two. */
  answerDelayMs: range,
  webhookDelayMs: range,
  /** From 0, never, to 1, always. */
  rates: z.strictObject(Object.fromEntries(faultKinds.map((kind) => [kind, rate])) as Record<FaultKind, typeof rate>),
})

export type StormSettings = z.infer<typeof stormTable>

/** A change of some settings; the rates that it does not name stay. */
export const stormChange = stormTable.extend({ rates: stormTable.shape.rates.partial() }).partial()
export type StormChange = z.infer<typeof stormChange>

export const calm: StormSettings = {
  seed: null,
  answerDelayMs: [0, 0],
  webhookDelayMs: [200, 2_000],
  rates: Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>,
}

export const changed = (settings: StormSettings, change: StormChange): StormSettings => ({
  ...settings,
  ...change,
  rates: { ...settings.rates, ...change.rates },
})
