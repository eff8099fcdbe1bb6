/** The public status of a payment, now or as soon as it changes. It shows no name, no e-mail and no whole phone number. */
import type { Config } from '../../config/config.ts'
import { promptLife } from '../../config/payments.ts'
import { createBatch } from '../../platform/db/batch.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire, homeOfId } from '../../platform/ids.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { endStatuses } from './payment.ts'
import { providerNamed, type Providers } from '../../money/providers/provider.ts'
import { findPaymentViews, type PaymentView } from './payment.sql.ts'
import { waitingKey } from './settle.ts'

export type StatusReader = {
  /** The payment of a reference; 404 for an unknown one. */
  read(reference: string): Promise<PaymentView>
  /** The same by its id. */
  readById(id: string): Promise<PaymentView>
  /**
   * Like `read`, but holds the answer back until the status changes, the time is over, the caller has disconnected or the process drains.
   */
  readWhenChanged(reference: string, waitMs: number, gone: AbortSignal): Promise<PaymentView>
  /** Wakes the requests that wait for these payments; `keys` is the payload of a notification. */
  wake(keys: string): void
  /** Answers all waiting requests with the current status. */
  drain(): void
}

/** Notifications can get lost while the listening connection is down, so a waiting request reads again at this interval. */
const rereadMs = 5_000

/** Whether a prompt that is sent as soon as it may be would outlive the payment. */
function isTooLate({ resendAt, expiresAt, secondsLeft, network }: PaymentView, config: Pick<Config, 'payments'>): boolean {
  const fromResend = resendAt === null ? Infinity : (expiresAt.getTime() - resendAt.getTime()) / 1000
  return Math.min(secondsLeft, fromResend) < promptLife(config, network)
}

export function createStatusReader(db: Db, providers: Providers, config: Pick<Config, 'payments'>): StatusReader {
  const load = createBatch<{ home: number; id: string }, PaymentView | undefined>({ run: (keys) => findPaymentViews(db, keys) })
  const waiting = new Map<string, Set<() => void>>()
  let isDraining = false

  async function readById(id: string): Promise<PaymentView> {
    const payment = orNotFound(await load({ home: homeOfId(id), id }))
    const { pushes } = providerNamed(providers, payment.environment, payment.provider).capabilities
    return pushes && !isTooLate(payment, config) ? payment : { ...payment, canResend: false, resendAt: null }
  }

  function idOf(reference: string): string {
    return orNotFound(fromWire('pay', reference))
  }

  return {
    read: async (reference) => readById(idOf(reference)),
    readById,

    async readWhenChanged(reference, waitMs, gone) {
      const id = idOf(reference)
      const key = waitingKey(id)
      let wakeUp = () => {}
      let hasChanged = false
      const onChange = () => {
        hasChanged = true
        wakeUp()
      }
      // Subscribed before the first read, so that a change in between is not missed.
      const listeners = waiting.get(key) ?? new Set()
      waiting.set(key, listeners.add(onChange))
      let isOver = false
      const deadlineTimer = setTimeout(() => {
        isOver = true
        wakeUp()
      }, waitMs)
      gone.addEventListener('abort', onChange)
      try {
        const first = await readById(id)
        let payment = first
        while (payment.status === first.status && !endStatuses.has(payment.status) && !isOver && !isDraining && !gone.aborted) {
          if (!hasChanged) {
            await new Promise<void>((resolve) => {
              const rereadTimer = setTimeout(resolve, rereadMs)
              wakeUp = () => {
                clearTimeout(rereadTimer)
                resolve()
              }
            })
          }
          hasChanged = false
          payment = await readById(id)
        }
        return payment
      } finally {
        clearTimeout(deadlineTimer)
        gone.removeEventListener('abort', onChange)
        listeners.delete(onChange)
        if (listeners.size === 0) waiting.delete(key)
      }
    },

    wake(keys) {
      for (const key of keys.split(',')) for (const onChange of waiting.get(key) ?? []) onChange()
    },

    drain() {
      isDraining = true
      for (const listeners of waiting.values()) for (const onChange of listeners) onChange()
    },
  }
}
