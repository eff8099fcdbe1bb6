/** The bench's own database: a durable PostgreSQL in a fresh folder, merchants with pages and webhooks, payments that await their money. */
import { randomBytes } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { insertApp } from '../server/developers/app.sql.ts'
import { hashOfKey, newKeyValue } from '../server/developers/key.ts'
import { insertKey } from '../server/developers/key.sql.ts'
import { serviceRole } from '../server/dependencies.ts'
import type { Owner } from '../server/identity/merchant.ts'
import { insertPersonalMerchant, setVerificationStatus } from '../server/identity/merchant.sql.ts'
import { insertUser } from '../server/identity/user.sql.ts'
import { openWallet } from '../server/ledger/account.sql.ts'
import { insertPage, takeSlug } from '../server/pages/page.sql.ts'
import { chargeOrderMac } from '../server/payments/order-mac.ts'
import { paymentEventData } from '../server/payments/payment-event.sql.ts'
import { insertPayments, type NewPayment } from '../server/payments/payment.sql.ts'
import { settlementOf, type SettlementSource, type Settlement } from '../server/payments/settlement.ts'
import { applySettlements } from '../server/payments/settle.sql.ts'
import { openDb, sql, type Db, type Sql } from '../server/platform/db/db.ts'
import { startEmbeddedPostgres } from '../server/platform/local-postgres/embedded-postgres.ts'
import { homeOfMerchant, newId, newMoneyId, toWire } from '../server/platform/ids.ts'
import { makeLogins } from '../server/platform/db/logins.sql.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import type { RecordMac } from '../server/platform/crypto/record-mac.ts'
import type { Sealer } from '../server/platform/crypto/secrets.ts'
import { newSecret, sealSecret } from '../server/webhooks/endpoint.ts'
import { upsertEndpoint } from '../server/webhooks/endpoint.sql.ts'
import { median } from './load.ts'

export const environment = 'live'
export const amount = 5000
const provider = 'snippe'

/** The usual setting for PostgreSQL on a dedicated node: a quarter of the memory. */
const sharedBuffers = `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`

/** The pool of the product and of every floor. */
export const poolSize = 8

export type BenchPage = { home: number; merchantId: string; pageId: string; slug: string }
export type Pending = { home: number; id: string; merchantId: string; reference: string }

export type BenchPostgres = {
  url: string
  /** Creates another migrated database on the same server. */
  another(name: string): Promise<BenchDatabase>
  /** Creates an empty database on the same server, and returns its address. */
  empty(name: string): Promise<string>
  /** A connection with the service's own role. */
  db: Db
  owner: Db
  postgresVersion: string
  /** Median of a write of 8 KiB with fdatasync in the folder of the database's files. */
  syncMs: number
  /** The time that PostgreSQL took for each new file of its log, 16 MB. */
  logFileMs: number
  close(): Promise<void>
}

export type BenchDatabase = Pick<BenchPostgres, 'url' | 'db' | 'owner'> & { close(): Promise<void> }

async function openDatabase(url: string): Promise<BenchDatabase> {
  const owner = openBenchDb(url)
  await migrate(owner)
  const db = openBenchDb(url, serviceRole)
  return {
    url,
    db,
    owner,
    async close() {
      await Promise.all([db.close(), owner.close()])
    },
  }
}

export function openBenchDb(url: string, role?: string, connections = poolSize): Db {
  return openDb({
    url,
    poolSize: connections,
    connectTimeoutMs: 5_000,
    // The owner vacuums and verifies up to ten million payments.
    statementTimeoutMs: role === undefined ? 3_600_000 : 60_000,
    applicationName: 'bench',
    // An idle connection lost at the end is no error; a lost one in use fails its statement.
    onError: () => undefined,
    ...(role !== undefined && { role }),
  })
}

function measureSync(folder: string): number {
  const path = join(folder, 'sync-probe')
  const file = openSync(path, 'w')
  const page = Buffer.alloc(8192)
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - startedAt
  })
  closeSync(file)
  unlinkSync(path)
  return median(times)
}

/** Applies the settings of docs/operations/production.md. */
export async function setAsInProduction(owner: Db): Promise<void> {
  for (const setting of [`checkpoint_timeout = '30min'`, `max_wal_size = '32GB'`, `min_wal_size = '4GB'`])
    await owner.script(`alter system set ${setting}`)
  await owner.script('select pg_reload_conf()')
}

/** More than a whole run of the bench writes, in files of 16 MB. */
const logFiles = 192

/**
 * A database in use has log files to overwrite. A new one creates each of them first, and no commit ends during that time; here
 * this happens before any measurement. The checkpoint recycles the filled files. Returns the milliseconds for each file.
 */
async function makeLogFiles(owner: Db): Promise<number> {
  const startedAt = performance.now()
  for (let made = 0; made < logFiles; made += 1) {
    await owner.script(`select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()`)
  }
  const perFileMs = (performance.now() - startedAt) / logFiles
  await owner.script('checkpoint')
  return perFileMs
}

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'malipo-bench-'))
  const syncMs = measureSync(dataDir)
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffers })
  const url = server.connectionString
  await makeLogins(url, 5_000)
  const first = await openDatabase(url)
  const { db, owner } = first
  const opened = [first]
  const { rows } = await owner.pool.query<{ version: string; durable: boolean }>(`
    select current_setting('server_version') as version,
      current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' as durable`)
  if (!rows[0]!.durable) throw new Error('The database of the bench is not durable: its figures would mean nothing.')
  await setAsInProduction(owner)
  const logFileMs = await makeLogFiles(owner)
  const empty = async (name: string): Promise<string> => {
    await owner.script(`create database ${name}`)
    return url.replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`)
  }
  return {
    url,
    db,
    owner,
    postgresVersion: rows[0]!.version,
    syncMs,
    logFileMs,
    empty,
    async another(name) {
      const next = await openDatabase(await empty(name))
      opened.push(next)
      return next
    },
    async close() {
      await Promise.all(opened.map((database) => database.close()))
      await server.stop()
      for (const folder of new Set([dataDir, server.folder, server.socketDir])) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The address of merchants' webhooks, and the sealer of their secrets; without it no webhooks are sent. */
export type Hooks = { url: string; sealer: Sealer }

/** The text of a piece of SQL without values. */
const textOf = ({ strings, values }: Sql): string =>
  strings.reduce((text, next, index) => text + textOf(values[index - 1] as Sql) + next)

/** The data of the event of a payment `p`, as SQL. */
export const eventData = textOf(paymentEventData(sql`p`, sql`p.id`))

/** Verified merchants, each with one page without a payment limit and one webhook. */
export async function makePages(db: Db, count: number, hooks?: Hooks): Promise<BenchPage[]> {
  return db.tx(async (tx) => {
    const pages: BenchPage[] = []
    for (let index = 0; index < count; index += 1) {
      const merchantId = newId()
      const home = homeOfMerchant(merchantId)
      const fullName = `Merchant ${index}`
      const phoneNumber = `+2557${randomBytes(4).readUInt32BE().toString().padStart(10, '0')}`
      const person = {
        email: `${merchantId}@example.com`,
        studentId: String(index),
        institution: 'UDSM',
        passwordHash: '-',
        wasInvited: false,
      }
      await insertUser(tx, { id: merchantId, fullName, phoneNumber, ...person })
      await insertPersonalMerchant(tx, merchantId, fullName)
      await setVerificationStatus(tx, merchantId, 'verified')
      await openWallet(tx, { merchantId, home, environment })
      const owner = ownerOf({ home, merchantId })
      const address = { id: newMoneyId(home), slug: `bench-${randomBytes(6).toString('hex')}` }
      await takeSlug(tx, owner, address)
      const page = await insertPage(tx, owner, {
        ...address,
        type: 'payment',
        kind: 'page',
        title: 'Chai',
        description: null,
        amount,
        allowCustomAmount: false,
        minAmount: 500,
        maxAmount: null,
        maxPayments: null,
        active: true,
        inactiveMessage: null,
        expiresAt: null,
        redirectUrl: null,
        successMessage: null,
        language: 'auto',
        metadata: {},
        customFields: [],
      })
      const appId = newId()
      await insertApp(tx, { id: appId, merchantId, environment, name: 'Shop', description: null })
      const endpointId = newId()
      await upsertEndpoint(tx, {
        id: endpointId,
        appId,
        merchantId,
        environment,
        url: hooks?.url ?? 'https://example.com/hook',
        secretSealed: hooks ? sealSecret(hooks.sealer, endpointId, 'secret', newSecret()) : '-',
        events: undefined,
      })
      pages.push({ home, merchantId, pageId: page.id, slug: page.slug })
    }
    return pages
  })
}

/** The merchant of a page, as the owner who reads. */
export function ownerOf({ home, merchantId }: Pick<BenchPage, 'home' | 'merchantId'>): Owner {
  const merchant = { id: merchantId, home, kind: 'personal', userId: merchantId, displayName: 'Merchant' } as const
  return {
    merchant: { ...merchant, verificationStatus: 'verified', suspendedAt: null, suspensionReason: null },
    environment,
  }
}

export const providerReference = (paymentId: string): string => `SN${paymentId.replaceAll('-', '')}`

const sourceOf = (payment: { home: number; id: string }): SettlementSource => ({
  home: payment.home,
  paymentId: payment.id,
  environment,
  provider,
  actor: 'provider:webhook',
  requestId: 'req_bench',
})

/** The settlement that the provider's message about the money asks for. */
export const successOf = (payment: Pending): Settlement => reported(payment, 'completed')

function reported(payment: Pending, status: 'pending' | 'completed'): Settlement {
  const { reference } = payment
  const learned = { reference, ourReference: null, status, amount, currency: 'TZS', fee: null } as const
  return settlementOf(sourceOf(payment), { ...learned, network: 'mpesa', failure: null, expiresAt: null }, 20)
}

const batchSize = 256

/** The data that a checkout stores before its provider is called; with `macs` its order has a valid code. */
export function newPayment(page: BenchPage, macs?: RecordMac): NewPayment {
  const id = newMoneyId(page.home)
  const payment = {
    home: page.home,
    id,
    merchantId: page.merchantId,
    environment,
    pageId: page.pageId,
    needsPlace: false,
    amount,
    phoneNumber: '+255754123789',
    network: 'mpesa',
    customerName: 'Juma Hamisi',
    customerEmail: 'juma@example.com',
    merchantReference: null,
    metadata: '{}',
    description: null,
    payerLanguage: 'sw',
    idempotencyHash: randomBytes(32),
    requestHash: randomBytes(32),
    expirySeconds: 3600,
    claimLeaseSeconds: 30,
    requestId: 'req_bench',
    provider,
    providerKey: `c-${toWire('pay', id).slice(4)}`,
    providerBody: JSON.stringify({ payment_type: 'mobile', details: { amount, currency: 'TZS' }, note: 'x'.repeat(250) }),
  } as const
  const { providerKey: idempotencyKey, providerBody: requestBody } = payment
  // As long as a real code; the bench has no key here, and its checks of the books do not verify codes.
  const orderMac = macs ? chargeOrderMac(macs, { ...payment, idempotencyKey, requestBody }) : `k20260101ab.${'x'.repeat(43)}`
  return { ...payment, orderMac }
}

/** Payments in their state after the provider has accepted the charge: pending, and bound to its reference. */
export async function makePending(db: Db, pages: BenchPage[], count: number, macs?: RecordMac): Promise<Pending[]> {
  const made: Pending[] = []
  while (made.length < count) {
    const batch = Array.from({ length: Math.min(batchSize, count - made.length) }, () =>
      newPayment(pages[Math.floor(Math.random() * pages.length)]!, macs),
    )
    await insertPayments(db, batch)
    const pending = batch.map(({ home, id, merchantId }) => ({ home, id, merchantId, reference: providerReference(id) }))
    const accepted = pending.map((payment) => reported(payment, 'pending'))
    await applySettlements(db, accepted, '')
    made.push(...pending)
  }
  return made
}

/** An API key of a merchant that may read its wallet; `peppers` is the setting of the server that will check it. */
export async function makeKey(db: Db, { merchantId }: Pick<BenchPage, 'merchantId'>, peppers: string): Promise<string> {
  const [id, secret] = peppers.split(':') as [string, string]
  const value = newKeyValue(environment)
  const app = { id: newId(), merchantId, environment } as const
  await db.tx(async (tx) => {
    await insertApp(tx, { ...app, name: 'Reader', description: null })
    const pepper = { id, key: Buffer.from(secret, 'base64url') }
    const kept = { id: newId(), keyHash: hashOfKey(pepper, value), pepperId: id, last4: value.slice(-4) }
    await insertKey(tx, app, {
      ...kept,
      payoutWaitSeconds: 0,
      createdBy: merchantId,
      keyName: 'Reader',
      scopes: ['balance:read', 'transactions:read'],
      waitingScopes: [],
      allowedIps: [],
      expiresAt: null,
    })
  })
  return value
}
