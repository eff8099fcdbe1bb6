/** Payers who pay through the reverse proxy while the operator works. Invariant: an answer that may be repeated is repeated with its key. */
import { randomUUID } from 'node:crypto'
import type { Operator } from './operator.ts'

export type Load = {
  /** Ends after the payments in flight; returns the references of all payments, and how many requests were repeated. */
  end(): Promise<{ references: string[]; repeats: number }>
}

const payersAtOnce = 4

export function startLoad({ call, facts }: Pick<Operator, 'call' | 'facts'>): Load {
  let isEnding = false
  let count = 0
  let repeats = 0
  const references: string[] = []

  async function pay(): Promise<void> {
    count += 1
    const body = {
      slug: facts.shop.slug,
      // A number that pays without a PIN.
      phone_number: `0754${String(count % 1000).padStart(3, '0')}789`,
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
      idempotency_key: randomUUID(),
    }
    for (;;) {
      const { status, body: answer } = await call('POST', '/v1/payments/checkout', { body })
      if (status === 201) return void references.push(answer.data.reference)
      if (status < 500 && status !== 429) throw new Error(`A checkout was refused: ${status} ${JSON.stringify(answer)}`)
      repeats += 1
      await new Promise((resolve) => void setTimeout(resolve, 500))
    }
  }

  const payers = Array.from({ length: payersAtOnce }, async () => {
    while (!isEnding) await pay()
  })
  const paid = Promise.all(payers)
  // The step that ends the load learns of a failure.
  paid.catch(() => undefined)
  return {
    async end() {
      isEnding = true
      await paid
      return { references, repeats }
    },
  }
}
