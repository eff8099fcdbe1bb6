/**
 * Limits how many PIN prompts a real phone receives, so that no page, script or attacker can flood its owner. Invariant: a prompt is
 * counted before it is sent, across all processes; if it cannot be counted, nothing is sent.
 */
import type { Config } from '../../config/config.ts'
import { createBatch } from '../../platform/db/batch.ts'
import type { Db } from '../../platform/db/db.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { wideNetworkOf } from '../../platform/http/limits.ts'
import type { Log } from '../../platform/process/log.ts'
import { Refusal } from '../../platform/refusal.ts'
import { idempotencyKeyReused } from './checkout-rules.ts'
import { deleteOldPrompts, takePrompts, uncountPrompt, type NewPrompt } from './prompt.sql.ts'

export type PromptLimit = {
  /**
   * Counts one prompt of a page to a phone. The same request counts once, however many times it is sent. Refuses with 429 `phone_busy`,
   * and with 422 `idempotency_key_reused` for a key that was counted for another phone. A prompt that `repeats` another request is
   * counted like any other and does not wait for an open prompt, because it is that prompt, unless it `isConfirmed`: then it is the first
   * that is sent. `watched`: the caller, if a checkout that looks like a part of a flood waits for its payer's confirmation.
   */
  take(prompt: {
    page: { home: number; id: string }
    idempotencyHash: Buffer
    repeats?: Buffer
    isConfirmed?: boolean
    phoneNumber: string
    /**
     * `merchantId`: null if its pace is not judged and only its network is kept. `isByKey`: the merchant's server makes it, so only orders
     * of operators are asked. `isCarrierAway`: the phone's mobile network is not operational, so an unpaid phone proves nothing about the
     * caller's network.
     */
    watched?: { merchantId: string | null; address: string | undefined; isByKey?: boolean; isCarrierAway?: boolean }
  }): Promise<TakenPrompt>
}

export type TakenPrompt = {
  /** Removes the prompt from the count if nothing will be sent. */
  refund(): Promise<void>
  /** Nothing may be sent before the payer has confirmed the payment. */
  needsConfirmation: boolean
}

const nothingTaken: TakenPrompt = { refund: async () => {}, needsConfirmation: false }

function phoneBusy(outcome: 'open' | 'too_many', waitSeconds: number): Refusal {
  const detail = { retryAfterSeconds: Math.max(1, Math.ceil(waitSeconds)), param: 'phone_number' }
  return outcome === 'open'
    ? new Refusal(
        429,
        'phone_busy',
        'A payment request of this page is already open on this phone. Let the payer answer it first.',
        {
          ...detail,
          messageSw: 'Kuna ombi la malipo ambalo halijajibiwa kwenye simu hii. Lijibu, au subiri dakika mbili ujaribu tena.',
          details: { reason: 'prompt_open' },
        },
      )
    : new Refusal(429, 'phone_busy', 'Too many payment requests were sent to this phone. Wait before you send another one.', {
        ...detail,
        messageSw: 'Maombi mengi mno yametumwa kwenye simu hii. Subiri kabla ya kujaribu tena.',
        details: { reason: 'too_many_prompts' },
      })
}

export function createPromptLimit(deps: { db: Db; log: Log; config: Pick<Config, 'limits' | 'keys'> }): PromptLimit {
  const { db, log, config } = deps
  const { areOn, prompts } = config.limits
  if (!areOn) return { take: async () => nothingTaken }
  const take = createBatch({
    run: (items: NewPrompt[]) => db.tx((tx) => takePrompts(tx, items, prompts)),
    keyOf: (item) => item.phoneKey.toString('base64'),
  })
  return {
    async take({ page, idempotencyHash, repeats = null, isConfirmed = false, phoneNumber, watched }) {
      const keyed = (text: string): Buffer => hmacSha256(config.keys.limits).update(text).digest()
      const phoneKey = keyed(`prompts|${phoneNumber}`)
      const networkKey = watched?.address === undefined ? null : keyed(`network|${wideNetworkOf(watched.address)}`)
      const prompt = { home: page.home, pageId: page.id, idempotencyHash }
      const item = {
        ...prompt,
        phoneKey,
        repeats,
        isConfirmed,
        merchantId: watched?.merchantId ?? null,
        networkKey,
        isByKey: watched?.isByKey,
        isCarrierAway: watched?.isCarrierAway,
      }
      const { outcome, waitSeconds, needsConfirmation } = await take(item).catch((error: unknown) => {
        log.error('prompt.count_failed', error)
        throw new Refusal(503, 'overloaded', 'The service is temporarily unavailable. Try again shortly.', {
          retryAfterSeconds: 2,
        })
      })
      if (outcome === 'of_another_phone') throw idempotencyKeyReused()
      if (outcome === 'open' || outcome === 'too_many') throw phoneBusy(outcome, waitSeconds!)
      return outcome === 'known'
        ? { ...nothingTaken, needsConfirmation }
        : { refund: () => uncountPrompt(db, prompt), needsConfirmation }
    },
  }
}

/** Removes prompts that are older than every window. Returns how many. */
export function sweepPrompts(deps: { db: Db; config: Pick<Config, 'limits'> }, limit: number): Promise<number> {
  const { quotas, openSeconds } = deps.config.limits.prompts
  const longest = Math.max(openSeconds, ...quotas.map(({ windowSeconds }) => windowSeconds))
  return deleteOldPrompts(deps.db, longest, limit)
}
