/** One search over everything for operators: by any id, number, code or reference, or by the beginning of a name or an e-mail address. */
import type { HistoryKind } from './history.sql.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { paymentStatuses } from '../../domain/payment.ts'
import { payoutStatuses } from '../../domain/payout.ts'
import { caseStates } from '../../domain/support-case.ts'
import { verificationStatuses } from '../../domain/verification.ts'
import { z } from 'zod'
import { wireIdOf } from '../../accounts/identity/merchant.ts'
import { slugShape } from '../../collect/pages/page.ts'
import { findByCode, refuseMistyped } from '../../collect/payments/find-by-code.ts'
import { localPhone, maskPhone, readPhone } from '../../domain/phone.ts'
import { readSms, type Sms } from '../../collect/support-cases/read-sms.ts'
import { lettersOf } from '../../collect/payments/receipt-parts.ts'
import type { Db } from '../../platform/db/db.ts'
import { answerOf } from '../../platform/http/answer.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import type { Providers } from '../../money/providers/provider.ts'
import {
  findCaseById,
  findCasesByNumber,
  findCasesByPhone,
  findMerchants,
  findMerchantsById,
  findOwnerOfApp,
  findOwnerOfKey,
  findPages,
  findPaymentById,
  findPaymentOfOutsideRefund,
  findPaymentsByMerchantReference,
  findPaymentsByPayerName,
  findPaymentsByPhone,
  findPaymentsByProviderReference,
  findPayoutById,
  findPayoutsByPhone,
  findPayoutsByProviderReference,
  findSubject,
  type FoundCase,
  type FoundMerchant,
  type FoundMoney,
  type FoundPage,
  type SubjectKind,
} from './search.sql.ts'

/** What a typed text may be. `merchant`: a name, an e-mail address, a registration number or a TIN; `payer_name`: as the payer gave it. */
const searchWays = [
  'id',
  'phone_number',
  'network_receipt',
  'reported_number',
  'short_code',
  'provider_reference',
  'merchant_reference',
  'page_address',
  'merchant',
  'payer_name',
] as const

export const searchWaySchema = z.enum(searchWays)

type SearchWay = (typeof searchWays)[number]

const foundStatuses = [
  ...verificationStatuses,
  ...paymentStatuses,
  ...payoutStatuses,
  ...caseStates,
  'active',
  'inactive',
  'suspended',
] as const

export const foundSchema = z
  .object({
    type: z.enum(['person', 'business', 'payment', 'payout', 'payment_page', 'support_case']),
    id: z.string().meta({ description: 'The id. For a payment, its reference.' }),
    found_by: searchWaySchema.meta({
      description:
        'What the text was. `network_receipt`: the number in the network’s SMS. `reported_number`: the one that a payer gave in a support case.',
    }),
    title: z.string(),
    detail: z
      .string()
      .nullable()
      .meta({ description: 'An e-mail address, a masked number, a slug, or the payment of a support case.' }),
    status: z.enum(foundStatuses),
    environment: environmentSchema.nullable(),
    amount: z.int().nullable().meta({ description: 'TZS.' }),
    merchant: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'The merchant to which it belongs. Null if the result is a merchant.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'OperatorSearchResult' })

type Found = z.infer<typeof foundSchema>

/** What was read in a pasted message of a network. */
export const readMessageSchema = z.object({
  number: z.string().nullable().meta({ description: 'Letters and digits.' }),
  amount: z.int().nullable().meta({ description: 'TZS.' }),
  phone_numbers: z.array(z.string()),
})

type Answer = { data: Found[]; understood_as: SearchWay[]; message: z.infer<typeof readMessageSchema> | null }

export type FindDeps = { db: Db; providers: Providers }

/** Maximum results of each kind, the newest first. */
export const foundOfAKind = 10

type By = { foundBy: SearchWay }
type Findings = {
  merchants: (FoundMerchant & By)[]
  payments: (FoundMoney & By)[]
  payouts: (FoundMoney & By)[]
  pages: (FoundPage & By)[]
  cases: (FoundCase & By)[]
}

const foundBy = <Found>(by: SearchWay, found: readonly Found[]): (Found & By)[] => found.map((one) => ({ ...one, foundBy: by }))

const nothing: Findings = { merchants: [], payments: [], payouts: [], pages: [], cases: [] }

const keyOf = (id: string) => ({ home: homeOfId(id), id })

async function ofSubject(db: Db, of: SubjectKind, id: string): Promise<Findings> {
  const subject = await findSubject(db, of, keyOf(id))
  return {
    ...nothing,
    payments: foundBy('id', subject?.paymentId ? await findPaymentById(db, keyOf(subject.paymentId)) : []),
    payouts: foundBy('id', subject?.payoutId ? await findPayoutById(db, keyOf(subject.payoutId)) : []),
  }
}

async function ofMerchant(db: Db, id: string | undefined): Promise<Findings> {
  return { ...nothing, merchants: foundBy('id', id === undefined ? [] : await findMerchantsById(db, [id])) }
}

/** The objects that an id names or belongs to; undefined when the text is no id. */
async function byId(db: Db, text: string): Promise<Findings | undefined> {
  const ways: [Parameters<typeof fromWire>[0], (id: string) => Promise<Findings>][] = [
    ['usr', (id) => ofMerchant(db, id)],
    ['biz', (id) => ofMerchant(db, id)],
    ['pay', async (id) => ({ ...nothing, payments: foundBy('id', await findPaymentById(db, keyOf(id))) })],
    ['po', async (id) => ({ ...nothing, payouts: foundBy('id', await findPayoutById(db, keyOf(id))) })],
    // A refund is a payout of the same id.
    [
      'rf',
      async (id) => ({
        ...nothing,
        payouts: foundBy('id', await findPayoutById(db, keyOf(id))),
        payments: foundBy('id', await findPaymentOfOutsideRefund(db, keyOf(id))),
      }),
    ],
    ['page', async (id) => ({ ...nothing, pages: foundBy('id', await findPages(db, keyOf(id))) })],
    ['txn', (id) => ofSubject(db, 'transfer', id)],
    ['evt', (id) => ofSubject(db, 'event', id)],
    ['brk', (id) => ofSubject(db, 'break', id)],
    [
      'case',
      async (id) => {
        const cases = await findCaseById(db, keyOf(id))
        const payments = await Promise.all(cases.map(({ paymentId }) => findPaymentById(db, keyOf(paymentId))))
        return { ...nothing, cases: foundBy('id', cases), payments: foundBy('id', payments.flat()) }
      },
    ],
    ['app', async (id) => ofMerchant(db, await findOwnerOfApp(db, id))],
    ['key', async (id) => ofMerchant(db, await findOwnerOfKey(db, id))],
  ]
  for (const [prefix, find] of ways) {
    const id = fromWire(prefix, text)
    if (id !== undefined) return find(id)
  }
  return undefined
}

/** A message or a letter may quote an id of ours. */
const idIn = (text: string): string => /\b[a-z]{2,5}_[0-9a-z]{26}\b/.exec(text)?.[0] ?? text

const shortestNumber = 6
const phonesOfAMessage = 3

const providerNames = (providers: Providers): string[] => [
  ...new Set(Object.values(providers).flatMap(({ byName }) => [...byName.keys()])),
]

async function casesOf(db: Db, text: string, phoneNumber: string | null): Promise<(FoundCase & By)[]> {
  const letters = lettersOf(text)
  const [byPhone, byNumber] = await Promise.all([
    phoneNumber === null ? [] : findCasesByPhone(db, phoneNumber, foundOfAKind),
    letters.length < shortestNumber ? [] : findCasesByNumber(db, letters, foundOfAKind),
  ])
  const all = [...foundBy('reported_number', byNumber), ...foundBy('phone_number', byPhone)]
  return [...new Map(all.map((one) => [one.id, one])).values()].slice(0, foundOfAKind)
}

/** Each once, in their order. */
function firstOfEach<Found extends { id: string }>(found: readonly Found[]): Found[] {
  return found.filter(({ id }, place) => found.findIndex((one) => one.id === id) === place).slice(0, foundOfAKind)
}

/**
 * By what a pasted message says. Its number names one payment, and comes first. A phone in it may be the payer's, the shop's or an agent's:
 * of its payments, those with the amount of the message, if there are any.
 */
async function bySms({ db, providers }: FindDeps, { number, amount, phones }: Sms): Promise<Findings> {
  const names = providerNames(providers)
  const [named, ofReference, ofCases] =
    number === undefined
      ? [[], [], []]
      : await Promise.all([
          findByCode(db, number, { limit: foundOfAKind }),
          findPaymentsByProviderReference(db, names, number),
          casesOf(db, number, null),
        ])
  const byCode = (await Promise.all(named.map(async (key) => foundBy(key.by, await findPaymentById(db, key))))).flat()
  const byNumber = [...byCode, ...foundBy('provider_reference', ofReference)]
  const some = phones.slice(0, phonesOfAMessage)
  const ofPhones = async (find: typeof findPaymentsByPhone): Promise<(FoundMoney & By)[]> => {
    const all = (await Promise.all(some.map((phone) => find(db, phone, foundOfAKind)))).flat()
    const same = all.filter((one) => one.amount === amount)
    return foundBy('phone_number', same.length > 0 ? same : all)
  }
  const isNamed = byNumber.length > 0
  const [payments, payouts] = isNamed
    ? [[], []]
    : await Promise.all([ofPhones(findPaymentsByPhone), ofPhones(findPayoutsByPhone)])
  return { ...nothing, cases: ofCases, payments: firstOfEach([...byNumber, ...payments]), payouts: firstOfEach(payouts) }
}

async function byText({ db, providers }: FindDeps, text: string): Promise<Findings> {
  const phone = readPhone(text)
  const phoneNumber = phone.kind === 'invalid' ? null : phone.e164
  const names = providerNames(providers)
  const [merchants, payments, ofReference, payouts, pages, named, cases, ofPayer] = await Promise.all([
    findMerchants(db, { text, phoneNumber, limit: foundOfAKind }),
    phoneNumber === null ? findPaymentsByProviderReference(db, names, text) : findPaymentsByPhone(db, phoneNumber, foundOfAKind),
    findPaymentsByMerchantReference(db, text, foundOfAKind),
    phoneNumber === null ? findPayoutsByProviderReference(db, names, text) : findPayoutsByPhone(db, phoneNumber, foundOfAKind),
    slugShape.test(text) ? findPages(db, { slug: text }) : [],
    findByCode(db, text, { limit: foundOfAKind }),
    casesOf(db, text, phoneNumber),
    phoneNumber === null ? findPaymentsByPayerName(db, text, foundOfAKind) : [],
  ])
  const byCode = (await Promise.all(named.map(async (key) => foundBy(key.by, await findPaymentById(db, key))))).flat()
  const byNumber = phoneNumber === null ? 'provider_reference' : 'phone_number'
  const byReference = [...byCode, ...foundBy(byNumber, payments), ...foundBy('merchant_reference', ofReference)]
  return {
    merchants: foundBy(phoneNumber === null ? 'merchant' : 'phone_number', merchants),
    payments: firstOfEach([...byReference, ...foundBy('payer_name', ofPayer)]),
    payouts: foundBy(byNumber, payouts),
    pages: foundBy('page_address', pages),
    cases,
  }
}

/** What a text looks like, when nothing was found. */
function looksLike(text: string, sms: Sms | undefined): SearchWay[] {
  if (sms)
    return [
      ...(sms.number === undefined ? [] : (['network_receipt'] as const)),
      ...(sms.phones.length > 0 ? (['phone_number'] as const) : []),
    ]
  if (/^[a-z]{2,5}_[0-9a-z]{26}$/.test(text)) return ['id']
  if (readPhone(text).kind !== 'invalid') return ['phone_number']
  if (/\d/.test(text) && !/[\s@]/.test(text)) {
    return ['network_receipt', 'reported_number', 'short_code', 'provider_reference', 'merchant_reference']
  }
  return ['merchant', 'payer_name']
}

function merchantToJson(found: FoundMerchant & By): Found {
  return answerOf(foundSchema, found, {
    type: found.kind === 'business' ? 'business' : 'person',
    id: wireIdOf(found),
    title: found.name,
    detail: found.email,
    status: found.isSuspended ? 'suspended' : found.status,
    environment: null,
    amount: null,
    merchant: null,
  })
}

/** Everything that matches `typed`, what `typed` was understood as, and what was read in it if it is a network's message. */
export async function findAnything(deps: FindDeps, typed: string): Promise<Answer> {
  const text = typed.trim()
  const sms = readSms(text)
  const { merchants, payments, payouts, pages, cases } =
    (await byId(deps.db, idIn(text))) ?? (sms ? await bySms(deps, sms) : await byText(deps, text))
  if ([merchants, payments, payouts, pages, cases].every((found) => found.length === 0)) refuseMistyped(text)
  const owners = await findMerchantsById(
    deps.db,
    [...payments, ...payouts, ...pages, ...cases].map(({ merchantId }) => merchantId).filter((id) => id !== null),
  )
  const ownerOf = (merchantId: string | null): Found['merchant'] => {
    const owner = owners.find(({ id }) => id === merchantId)
    return owner ? { id: wireIdOf(owner), name: owner.name } : null
  }
  const moneyToJson =
    (type: HistoryKind) =>
    (found: FoundMoney & By): Found =>
      answerOf(foundSchema, found, {
        type,
        id: toWire(type === 'payment' ? 'pay' : 'po', found.id),
        title: found.name ?? maskPhone(found.phoneNumber),
        detail: maskPhone(found.phoneNumber),
        merchant: ownerOf(found.merchantId),
      })
  const data = [
    ...merchants.map(merchantToJson),
    ...cases.map((one) =>
      answerOf(foundSchema, one, {
        type: 'support_case',
        id: toWire('case', one.id),
        title: one.smsNumber ?? toWire('case', one.id),
        detail: toWire('pay', one.paymentId),
        status: one.state,
        amount: null,
        merchant: ownerOf(one.merchantId),
      }),
    ),
    ...payments.map(moneyToJson('payment')),
    ...payouts.map(moneyToJson('payout')),
    ...pages.map((page) =>
      answerOf(foundSchema, page, {
        type: 'payment_page',
        id: toWire('page', page.id),
        detail: page.slug,
        status: page.isSuspended ? 'suspended' : page.active ? 'active' : 'inactive',
        amount: null,
        merchant: ownerOf(page.merchantId),
      }),
    ),
  ]
  return {
    data,
    understood_as: data.length === 0 ? looksLike(text, sms) : [...new Set(data.map((one) => one.found_by))],
    message: sms
      ? { number: sms.number ?? null, amount: sms.amount ?? null, phone_numbers: sms.phones.map((phone) => localPhone(phone)) }
      : null,
  }
}
