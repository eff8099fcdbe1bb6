/**
 * The answer of a payer without a phone page: what a dashboard shows as the payer's phone sends it here, with the provider's key.
 * Invariant: an answer reaches only a charge of the account whose key was sent.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Books } from './books.sql.ts'
import type { Charge } from './charge.ts'
import { ImpossibleMove, wrongPinsAllowed, type Charges, type PhoneAnswer } from './charges.ts'
import { clickPesaAccounts, snippeAccounts, type AccountName, type SimulatorConfig } from './config.ts'

type Deps = { books: Books; charges: Charges; config: SimulatorConfig }

/** The PIN itself is never sent: whether it is right is all that a simulated phone needs. */
const answers: Record<string, PhoneAnswer> = {
  approve: { action: 'pin', pin: '1234' },
  wrong_pin: { action: 'pin', pin: '0000' },
  insufficient: { action: 'insufficient' },
  cancel: { action: 'cancel' },
}

function accountOf({ config }: Deps, request: FastifyRequest): AccountName | undefined {
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  return (
    snippeAccounts.find((name) => config.accounts[name].apiKey === key) ??
    clickPesaAccounts.find((name) => config.clickPesa[name].apiKey === key)
  )
}

export function answerRoutes(app: FastifyInstance, deps: Deps): void {
  const { books, charges } = deps

  app.post('/phone/answers', async (request, reply) => {
    const account = accountOf(deps, request)
    if (account === undefined) return await reply.code(401).send({ error: 'wrong key' })
    const read = readAnswer(request.body)
    if (read === undefined) return await reply.code(400).send({ error: 'send reference and action' })
    const found: Charge | undefined = books.charges.get(read.reference) ?? books.charges.ofOrder(account, read.reference)
    if (found?.account !== account) return await reply.code(404).send({ error: 'no such charge' })
    try {
      const { status, wrongPins } = charges.answer(found.reference, read.answer)
      return await reply.send({ status, tries_left: Math.max(0, wrongPinsAllowed - wrongPins) })
    } catch (error) {
      if (error instanceof ImpossibleMove) return await reply.code(409).send({ error: error.message })
      throw error
    }
  })
}

function readAnswer(body: unknown): { reference: string; answer: PhoneAnswer } | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : '')
    if (typeof fields !== 'object' || fields === null) return undefined
    const { reference, action } = fields as Record<string, unknown>
    const answer = typeof action === 'string' && Object.hasOwn(answers, action) ? answers[action] : undefined
    return typeof reference === 'string' && answer ? { reference, answer } : undefined
  } catch {
    return undefined
  }
}
