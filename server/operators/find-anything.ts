/** One search over everything for operators: by any id, number, code or reference, or by the beginning of a name or an e-mail address. */
import type { HistoryKind } from './history.sql.ts'
import { environmentSchema } from '../domain/environment.ts'
import { z } from 'zod'
import { wireIdOf } from '../identity/merchant.ts'
import { slugShape } from '../pages/page.ts'
import { findByCode, refuseMistyped } from '../payments/find-by-code.ts'
import { maskPhone, readPhone } from '../domain/phone.ts'
import type { Db } from '../platform/db/db.ts'
import { fromWire, homeOfId, toWire } from '../platform/ids.ts'
import type { Providers } from '../providers/provider.ts'
import {
  findMerchants,
  findMerchantsById,
  findOwnerOfApp,
  findOwnerOfKey,
  findPages,
  findPaymentById,
  findPaymentsByMerchantReference,
  findPaymentsByPhone,
  findPaymentsByProviderReference,
  findPayoutById,
  findPayoutsByPhone,
  findPayoutsByProviderReference,
  findSubject,
  type FoundMerchant,
  type FoundMoney,
  type FoundPage,
  type SubjectKind,
} from './search.sql.ts'

export const foundSchema = z
  .object({
    type: z.enum(['person', 'business', 'payment', 'payout', 'payment_page']),
    id: z.string().meta({ description: 'The id. For a payment, its reference.' }),
    title: z.string(),
    detail: z.string().nullable().meta({ description: 'An e-mail address, a masked number or a slug.' }),
    status: z.string(),
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

export type FindDeps = { db: Db; providers: Providers }

/** Maximum results of each kind, the newest first. */
export const foundOfAKind = 10

type Findings = { merchants: FoundMerchant[]; payments: FoundMoney[]; payouts: FoundMoney[]; pages: FoundPage[] }

const nothing: Findings = { merchants: [], payments: [], payouts: [], pages: [] }

const keyOf = (id: string) => ({ home: homeOfId(id), id })

async function ofSubject(db: Db, of: SubjectKind, id: string): Promise<Findings> {
  const subject = await findSubject(db, of, keyOf(id))
  return {
    ...nothing,
    payments: subject?.paymentId ? await findPaymentById(db, keyOf(subject.paymentId)) : [],
    payouts: subject?.payoutId ? await findPayoutById(db, keyOf(subject.payoutId)) : [],
  }
}

async function ofMerchant(db: Db, id: string | undefined): Promise<Findings> {
  return { ...nothing, merchants: id === undefined ? [] : await findMerchantsById(db, [id]) }
}

/** The objects that an id names or belongs to; undefined when the text is no id. */
async function byId(db: Db, text: string): Promise<Findings | undefined> {
  const ways: [Parameters<typeof fromWire>[0], (id: string) => Promise<Findings>][] = [
    ['usr', (id) => ofMerchant(db, id)],
    ['biz', (id) => ofMerchant(db, id)],
    ['pay', async (id) => ({ ...nothing, payments: await findPaymentById(db, keyOf(id)) })],
    ['po', async (id) => ({ ...nothing, payouts: await findPayoutById(db, keyOf(id)) })],
    // A refund is a payout of the same id.
    ['rf', async (id) => ({ ...nothing, payouts: await findPayoutById(db, keyOf(id)) })],
    ['page', async (id) => ({ ...nothing, pages: await findPages(db, keyOf(id)) })],
    ['txn', (id) => ofSubject(db, 'transfer', id)],
    ['evt', (id) => ofSubject(db, 'event', id)],
    ['brk', (id) => ofSubject(db, 'break', id)],
    ['app', async (id) => ofMerchant(db, await findOwnerOfApp(db, id))],
    ['key', async (id) => ofMerchant(db, await findOwnerOfKey(db, id))],
  ]
  for (const [prefix, find] of ways) {
    const id = fromWire(prefix, text)
    if (id !== undefined) return find(id)
  }
  return undefined
}

async function byText({ db, providers }: FindDeps, text: string): Promise<Findings> {
  const phone = readPhone(text)
  const phoneNumber = phone.kind === 'invalid' ? null : phone.e164
  const names = [...new Set(Object.values(providers).flatMap(({ byName }) => [...byName.keys()]))]
  const [merchants, payments, ofReference, payouts, pages, named] = await Promise.all([
    findMerchants(db, { text, phoneNumber, limit: foundOfAKind }),
    phoneNumber === null ? findPaymentsByProviderReference(db, names, text) : findPaymentsByPhone(db, phoneNumber, foundOfAKind),
    findPaymentsByMerchantReference(db, text, foundOfAKind),
    phoneNumber === null ? findPayoutsByProviderReference(db, names, text) : findPayoutsByPhone(db, phoneNumber, foundOfAKind),
    slugShape.test(text) ? findPages(db, { slug: text }) : [],
    findByCode(db, text, { limit: foundOfAKind }),
  ])
  const byCode = (await Promise.all(named.map((key) => findPaymentById(db, key)))).flat()
  const all = new Map([...byCode, ...payments, ...ofReference].map((payment) => [payment.id, payment]))
  return { merchants, payments: [...all.values()].slice(0, foundOfAKind), payouts, pages }
}

function merchantToJson(found: FoundMerchant): Found {
  return {
    type: found.kind === 'business' ? 'business' : 'person',
    id: wireIdOf(found),
    title: found.name,
    detail: found.email,
    status: found.isSuspended ? 'suspended' : found.status,
    environment: null,
    amount: null,
    merchant: null,
    created_at: found.createdAt.toISOString(),
  }
}

/** Everything that matches `typed`. */
export async function findAnything(deps: FindDeps, typed: string): Promise<Found[]> {
  const text = typed.trim()
  const { merchants, payments, payouts, pages } = (await byId(deps.db, text)) ?? (await byText(deps, text))
  if (merchants.length + payments.length + payouts.length + pages.length === 0) refuseMistyped(text)
  const owners = await findMerchantsById(
    deps.db,
    [...payments, ...payouts, ...pages].map(({ merchantId }) => merchantId).filter((id) => id !== null),
  )
  const ownerOf = (merchantId: string | null): Found['merchant'] => {
    const owner = owners.find(({ id }) => id === merchantId)
    return owner ? { id: wireIdOf(owner), name: owner.name } : null
  }
  const moneyToJson =
    (type: HistoryKind) =>
    (found: FoundMoney): Found => ({
      type,
      id: toWire(type === 'payment' ? 'pay' : 'po', found.id),
      title: found.name ?? maskPhone(found.phoneNumber),
      detail: maskPhone(found.phoneNumber),
      status: found.status,
      environment: found.environment,
      amount: found.amount,
      merchant: ownerOf(found.merchantId),
      created_at: found.createdAt.toISOString(),
    })
  return [
    ...merchants.map(merchantToJson),
    ...payments.map(moneyToJson('payment')),
    ...payouts.map(moneyToJson('payout')),
    ...pages.map((page): Found => ({
      type: 'payment_page',
      id: toWire('page', page.id),
      title: page.title,
      detail: page.slug,
      status: page.isSuspended ? 'suspended' : page.active ? 'active' : 'inactive',
      environment: page.environment,
      amount: null,
      merchant: ownerOf(page.merchantId),
      created_at: page.createdAt.toISOString(),
    })),
  ]
}
