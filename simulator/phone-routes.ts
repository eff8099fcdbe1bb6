/** The addresses of the customer's phone. Invariant: a button answers only a prompt that is open on the phone whose page it stands on. */
import type { FastifyInstance } from 'fastify'
import type { Books } from './books.sql.ts'
import { openPrompt } from './charge.ts'
import { ImpossibleMove } from './charges.ts'
import type { Charges, PhoneAnswer } from './charges.ts'
import type { SimulatorConfig } from './config.ts'
import { phoneList, phoneScreen, ringingOf } from './phone-page.ts'
import { readPhone, readTypedPhone, suffixOf } from './phones.ts'
import { chargeScenarios } from './scenarios.ts'
import { queryOf } from './serve.ts'

type Deps = { books: Books; charges: Charges; config: SimulatorConfig; now: () => number }

const shownCharges = 8
const searchedCharges = 500
const shownRinging = 20

export function phoneRoutes(app: FastifyInstance, deps: Deps): void {
  const { books, charges, config, now } = deps
  const notes = Object.entries(chargeScenarios)
    .map(([suffix, { about }]) => ({ suffix, about }))
    .toSorted((a, b) => a.suffix.localeCompare(b.suffix))

  const list = (typed: string, problem: string | null): string =>
    phoneList(ringingOf(books.pendingCharges(searchedCharges), now()).slice(0, shownRinging), typed, problem, notes, now())

  app.get('/', async (_request, reply) => await reply.redirect('/phone', 303))

  app.get('/phone', async (request, reply) => {
    const typed = queryOf(request).get('number')
    if (typed !== null) {
      const phone = readTypedPhone(typed)
      if (phone !== null) return await reply.redirect(`/phone/${phone}`, 303)
    }
    const problem = typed === null ? null : 'Namba si sahihi. Mfano: 0712 345 678.'
    return await reply
      .code(problem === null ? 200 : 422)
      .headers(pageHeaders)
      .send(list(typed ?? '', problem))
  })

  app.get<{ Params: { number: string } }>('/phone/:number', async (request, reply) => {
    const phone = readPhone(request.params.number)
    if (phone === null) return await reply.redirect('/phone', 303)
    const onPhone = books.chargesOnPhone(phone, shownCharges)
    const newest = onPhone.find((charge) => openPrompt(charge, now()))
    // A scenario belongs to the charge's own number; a prompt pushed to another phone plays by itself all the same.
    const scenario = chargeScenarios[suffixOf(newest?.phone ?? phone)]?.about ?? null
    return await reply.headers(pageHeaders).send(phoneScreen(phone, onPhone, scenario, config.merchantName, now()))
  })

  app.post<{ Params: { number: string } }>('/phone/:number', async (request, reply) => {
    const phone = readPhone(request.params.number)
    const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '')
    const charge = books.charge(form.get('reference') ?? '')
    const answer = readAnswer(form)
    if (phone === null || charge?.promptPhone !== phone || answer === null || suffixOf(charge.phone) in chargeScenarios) {
      return await reply.redirect(phone === null ? '/phone' : `/phone/${phone}`, 303)
    }
    try {
      charges.answer(charge.reference, answer)
    } catch (error) {
      // Answered too late: the page itself then says what became of the prompt.
      if (!(error instanceof ImpossibleMove)) throw error
    }
    return await reply.redirect(`/phone/${phone}`, 303)
  })
}

const pageHeaders = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }

function readAnswer(form: URLSearchParams): PhoneAnswer | null {
  const action = form.get('action')
  if (action === 'pin') return { action, pin: form.get('pin') ?? '' }
  return action === 'cancel' || action === 'timeout' ? { action } : null
}
