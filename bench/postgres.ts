/** The bench's own database: a durable PostgreSQL in a fresh folder, merchants with pages and webhooks, payments that await their money. */
import { randomBytes } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Owner } from '../server/accounts/identity/merchant.ts'
import type { NewPayment } from '../server/collect/payments/payment.sql.ts'
import type { SettlementSource, Settlement } from '../server/collect/payments/settlement.ts'
import type { Db } from '../server/platform/db/db.ts'
import type { RecordMac } from '../server/platform/crypto/record-mac.ts'
import type { Sealer } from '../server/platform/crypto/secrets.ts'
import {
  applySettlements,
  chargeOrderMac,
  defaultSettings,
  hashOfKey,
  homeOfMerchant,
  insertApp,
  insertKey,
  insertPage,
  insertPayments,
  insertPersonalMerchant,
  insertUser,
  makeLogins,
  migrate,
  newId,
  newKeyValue,
  newMoneyId,
  newSecret,
  openDb,
  openWallet,
  sealSecret,
  serviceRole,
  settlementOf,
  setVerificationStatus,
  takeSlug,
  toWire,
  upsertEndpoint,
} from './product.ts'
import { median } from './ratios.ts'
import { soon, type Scope } from './scope.ts'

export const environment = 'live'
export const amount = 5000
const provider = 'snippe'

/** The usual setting for PostgreSQL on a dedicated node: a quarter of the memory. */
const sharedBuffers = `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`

/** The pool of the product and of every floor. */
export const poolSize = 8

export type BenchPage = { home: number; merchantId: string; pageId: string; slug: string }
export type Pending = { home: number; id: string; merchantId: string; reference: string }

/** A durable PostgreSQL without a database of the product. */
export type BenchServer = {
  url: string
  owner: Db
  /** Creates an empty database, and returns its address. */
  empty(name: string): Promise<string>
  postgresVersion: string
  /** Median of a write of 8 KiB with fdatasync in the folder of the database's files. */
  syncMs: number
  /** The time that PostgreSQL took for each new file of its log, 16 MB. */
  logFileMs: number
}

export type BenchDatabase = {
  url: string
  /** A connection with the service's own role. */
  db: Db
  owner: Db
}

export type BenchPostgres = BenchServer &
  BenchDatabase & {
    /** Creates another migrated database on the same server. */
    another(name: string): Promise<BenchDatabase>
  }

const closing = (db: Db) => soon(db.close())

export async function openDatabase(scope: Scope, url: string): Promise<BenchDatabase> {
  await makeLogins?.(url, 5_000)
  const owner = await scope.use(Promise.resolve(openBenchDb(url)), closing)
  await migrate(owner)
  return { url, owner, db: await scope.use(Promise.resolve(openBenchDb(url, serviceRole)), closing) }
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

/** As many files of 16 MB as a whole run of the bench writes; 32 are enough for a short one. */
const logFilesOfRun = 192

/**
 * A database in use has log files to overwrite. A new one creates each of them first, and no commit ends during that time; here
 * this happens before any measurement. The checkpoint recycles the filled files. Returns the milliseconds for each file.
 */
async function makeLogFiles(owner: Db, count: number): Promise<number> {
  const startedAt = performance.now()
  for (let made = 0; made < count; made += 1) {
    await owner.script(`select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()`)
  }
  const perFileMs = (performance.now() - startedAt) / count
  await owner.script('checkpoint')
  return perFileMs
}

export async function startServer(scope: Scope, logFiles = logFilesOfRun): Promise<BenchServer> {
  const dataDir = await scope.folder('bench')
  const syncMs = measureSync(dataDir)
  // Only here: no other measured file starts a server, so an older commit needs no such file.
  const { startEmbeddedPostgres } = await import('../server/platform/local-postgres/embedded-postgres.ts')
  const server = await scope.use(startEmbeddedPostgres({ dataDir, sharedBuffers }), async ({ stop, folder, socketDir }) => {
    await stop()
    for (const left of [folder, socketDir]) await rm(left, { recursive: true, force: true })
  })
  const url = server.connectionString
  const owner = await scope.use(Promise.resolve(openBenchDb(url)), closing)
  const { rows } = await owner.pool.query<{ version: string; durable: boolean }>(`
    select current_setting('server_version') as version,
      current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' as durable`)
  if (!rows[0]!.durable) throw new Error('The database of the bench is not durable: its figures would mean nothing.')
  await setAsInProduction(owner)
  const logFileMs = await makeLogFiles(owner, logFiles)
  return {
    url,
    owner,
    postgresVersion: rows[0]!.version,
    syncMs,
    logFileMs,
    async empty(name) {
      await owner.script(`create database ${name}`)
      return url.replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${name}`)
    },
  }
}

export async function startBenchPostgres(scope: Scope, logFiles?: number): Promise<BenchPostgres> {
  const server = await startServer(scope, logFiles)
  const another = async (name: string) => openDatabase(scope, await server.empty(name))
  return { ...server, ...(await openDatabase(scope, server.url)), another }
}

/** The address of merchants' webhooks, and the sealer of their secrets; without it no webhooks are sent. */
export type Hooks = { url: string; sealer: Sealer }

/** What older commits ask of a person. */
const personOfOlderCommits = { wasInvited: false }

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
        registersAs: 'student' as const,
      }
      await insertUser(tx, { id: merchantId, fullName, phoneNumber, ...person, ...personOfOlderCommits })
      await insertPersonalMerchant(tx, merchantId, fullName, { first: 0, last: 255 })
      await setVerificationStatus(tx, merchantId, 'verified')
      await openWallet(tx, { merchantId, home, environment })
      const owner = ownerOf({ home, merchantId })
      const address = { id: newMoneyId(home), slug: `bench-${randomBytes(6).toString('hex')}` }
      // An older insertPage takes the slug itself.
      await takeSlug?.(tx, owner, address)
      const page = await insertPage(tx, owner, {
        ...address,
        type: 'payment',
        kind: 'page',
        ...defaultSettings('payment'),
        title: 'Chai',
        amount,
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
  // No message is stored for it.
  actor: 'provider:poll',
  requestId: 'req_bench',
})

/** The settlement that the provider's answer about the money asks for. */
export const successOf = (payment: Pending): Settlement => reported(payment, 'completed')

function reported(payment: Pending, status: 'pending' | 'completed'): Settlement {
  const { reference } = payment
  const learned = { reference, ourReference: null, status, amount, currency: 'TZS', fee: null } as const
  return settlementOf(sourceOf(payment), { ...learned, network: 'mpesa', failure: null, expiresAt: null }, 20)
}

const batchSize = 256

/** A column that older commits have. */
const ofOlderCommits = { utm: null }

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
  const orderMac =
    macs && chargeOrderMac ? chargeOrderMac(macs, { ...payment, idempotencyKey, requestBody }) : `k20260101ab.${'x'.repeat(43)}`
  return { ...payment, ...ofOlderCommits, orderMac }
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
