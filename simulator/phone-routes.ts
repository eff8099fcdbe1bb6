/** The addresses of the customer's phone. Invariant: a button answers only an open prompt on the phone whose page contains it. */
import type { FastifyInstance } from 'fastify'
import type { Books } from './books.sql.ts'
import { openPrompt } from './charge.ts'
import { ImpossibleMove, type Charges, type PhoneAnswer } from './charges.ts'
import type { SimulatorConfig } from './config.ts'
import { phoneScreen, phoneWall, ringingOf, type Phone } from './phone-page.ts'
import { networkOf, readPhone, readTypedPhone, suffixOf } from './phones.ts'
import { chargeScenarios } from './scenarios.ts'
import { queryOf } from './serve.ts'

type Deps = { books: Books; charges: Charges; config: SimulatorConfig; now: () => number }

const shownCharges = 6
const searchedCharges = 500
const recentCharges = 10
/** The least and the greatest number of phones side by side. */
const [fewestPhones, mostPhones] = [4, 8]
/** One of each network, for a demo that has not begun. */
const demoPhones = ['255754000111', '255784000111', '255713000111', '255621000111']

export function phoneRoutes(app: FastifyInstance, deps: Deps): void {
  const { books, charges, config, now } = deps
  const notes = Object.entries(chargeScenarios)
    .map(([suffix, { about, sw }]) => ({ suffix, about, sw }))
    .toSorted((a, b) => a.suffix.localeCompare(b.suffix))

  const around = () => ({ merchantName: config.merchantName, recent: books.newestCharges(recentCharges), notes, now: now() })

  const phoneOf = (number: string): Phone => {
    const onPhone = books.chargesOnPhone(number, shownCharges)
    const newest = onPhone.find((charge) => openPrompt(charge, now()))
    // A scenario belongs to the charge's own number; a prompt pushed to another phone still runs automatically.
    return { number, charges: onPhone, scenario: chargeScenarios[suffixOf(newest?.phone ?? number)] ?? null }
  }

  /** Ringing phones first, then phones that rang recently, then as many demo phones as fit. */
  const shownPhones = (): Phone[] => {
    const ringing = ringingOf(books.pendingCharges(searchedCharges), now()).map(({ prompt }) => prompt.phone)
    const rang = books.newestCharges(recentCharges).map((charge) => charge.promptPhone)
    const known = [...new Set([...ringing, ...rang])].slice(0, mostPhones)
    const others = demoPhones.filter((phone) => !known.some((one) => networkOf(one) === networkOf(phone)))
    return [...known, ...others.slice(0, Math.max(0, fewestPhones - known.length))].map(phoneOf)
  }

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
      .send(phoneWall(shownPhones(), { typed: typed ?? '', problem }, around()))
  })

  app.get<{ Params: { number: string } }>('/phone/:number', async (request, reply) => {
    const phone = readPhone(request.params.number)
    if (phone === null) return await reply.redirect('/phone', 303)
    return await reply.headers(pageHeaders).send(phoneScreen(phoneOf(phone), around()))
  })

  app.post<{ Params: { number: string } }>('/phone/:number', async (request, reply) => {
    const phone = readPhone(request.params.number)
    const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '')
    const charge = books.charges.get(form.get('reference') ?? '')
    const answer = readAnswer(form)
    const back = phone === null ? '/phone' : form.get('from') === 'wall' ? `/phone#p${phone}` : `/phone/${phone}`
    if (phone === null || charge?.promptPhone !== phone || answer === null || suffixOf(charge.phone) in chargeScenarios) {
      return await reply.redirect(back, 303)
    }
    try {
      charges.answer(charge.reference, answer)
    } catch (error) {
      // Answered too late: the page itself then shows the outcome of the prompt.
      if (!(error instanceof ImpossibleMove)) throw error
    }
    return await reply.redirect(back, 303)
  })
}

const pageHeaders = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }

function readAnswer(form: URLSearchParams): PhoneAnswer | null {
  const action = form.get('action')
  if (action === 'pin') return { action, pin: form.get('pin') ?? '' }
  return action === 'cancel' || action === 'timeout' || action === 'insufficient' ? { action } : null
}
