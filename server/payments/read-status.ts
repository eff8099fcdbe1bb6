/** The public status of a payment, now or as soon as it changes. It shows nobody's name, e-mail or whole phone number. */
import { createBatch } from '../platform/db/batch.ts'
import type { Db } from '../platform/db/db.ts'
import { fromWire, homeOfId } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { endStatuses } from './payment.ts'
import { providerNamed, type Providers } from '../providers/provider.ts'
import { findPaymentViews, type PaymentView } from './payment.sql.ts'
import { waitingKey } from './settle.ts'

export type StatusReader = {
  /** The payment behind a reference; 404 for an unknown one. */
  read(reference: string): Promise<PaymentView>
  /** The same, held back until the status changes, the time is over, the caller is gone or the process drains. */
  readWhenChanged(reference: string, waitMs: number, gone: AbortSignal): Promise<PaymentView>
  /** Wakes those who wait for these payments; `keys` is a notification's payload. */
  wake(keys: string): void
  /** Lets everybody go with what is true now. */
  drain(): void
}

/** News can get lost while the listening connection is away, so a waiting payer looks again by itself this often. */
const lookAgainMs = 5_000

export function createStatusReader(db: Db, providers: Providers): StatusReader {
  const load = createBatch<{ home: number; id: string }, PaymentView | undefined>({ run: (keys) => findPaymentViews(db, keys) })
  const waiting = new Map<string, Set<() => void>>()
  let isDraining = false

  async function readById(id: string): Promise<PaymentView> {
    const payment = await load({ home: homeOfId(id), id })
    if (!payment) throw notFound()
    const { pushes } = providerNamed(providers, payment.environment, payment.provider).capabilities
    return pushes ? payment : { ...payment, canResend: false, resendAt: null }
  }

  function idOf(reference: string): string {
    const id = fromWire('pay', reference)
    if (id === undefined) throw notFound()
    return id
  }

  return {
    read: async (reference) => readById(idOf(reference)),

    async readWhenChanged(reference, waitMs, gone) {
      const id = idOf(reference)
      const key = waitingKey(id)
      let wakeUp = () => {}
      let isNews = false
      const hear = () => {
        isNews = true
        wakeUp()
      }
      // Subscribed before the first read: a change in between is heard.
      const listeners = waiting.get(key) ?? new Set()
      waiting.set(key, listeners.add(hear))
      let isOver = false
      const timeOver = setTimeout(() => {
        isOver = true
        wakeUp()
      }, waitMs)
      gone.addEventListener('abort', hear)
      try {
        const first = await readById(id)
        let payment = first
        while (payment.status === first.status && !endStatuses.has(payment.status) && !isOver && !isDraining && !gone.aborted) {
          if (!isNews) {
            await new Promise<void>((resolve) => {
              const lookAgain = setTimeout(resolve, lookAgainMs)
              wakeUp = () => {
                clearTimeout(lookAgain)
                resolve()
              }
            })
          }
          isNews = false
          payment = await readById(id)
        }
        return payment
      } finally {
        clearTimeout(timeOver)
        gone.removeEventListener('abort', hear)
        listeners.delete(hear)
        if (listeners.size === 0) waiting.delete(key)
      }
    },

    wake(keys) {
      for (const key of keys.split(',')) for (const hear of waiting.get(key) ?? []) hear()
    },

    drain() {
      isDraining = true
      for (const listeners of waiting.values()) for (const hear of listeners) hear()
    },
  }
}
