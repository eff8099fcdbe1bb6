/** Everything that the slices receive, made once for each process and passed on as one plain object. */
import type { ProviderName } from '../domain/provider.ts'
import type { Environment } from '../domain/environment.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyFinder, type KeyFinder } from '../accounts/developers/authenticate-key.ts'
import { createRequestLog, type RequestLog } from '../accounts/developers/request-log.ts'
import type { Config } from '../config/config.ts'
import { poolForRequests, poolForSettling } from '../config/database.ts'
import { createContentCheck, type ContentCheck } from '../merchants/documents/check-content.ts'
import { clocksOf, type Clocks } from '../assurance/invariants/verify-schema.ts'
import { createMailer, type Mailer } from '../base/mail/mailer.ts'
import { openNetworks, type Networks } from '../money/controls/read-networks.ts'
import type { InsertedPayment, NewPayment } from '../collect/payments/payment.sql.ts'
import { createPaymentStore } from '../collect/payments/store-payment.ts'
import { meterSettle } from '../collect/payments/meter-settle.ts'
import { createPromptLimit, type PromptLimit } from '../collect/payments/limit-prompts.ts'
import type { InboxMessage, Stored } from '../money/providers/inbox.sql.ts'
import { createMessageStore } from '../money/providers/store-message.ts'
import { createAcceptanceRecord } from '../collect/payments/acceptance.sql.ts'
import { createStatusReader, type StatusReader } from '../collect/payments/read-status.ts'
import { createSettle, type Settle } from '../collect/payments/settle.ts'
import type { Acceptance } from '../collect/payments/settlement.ts'
import { createPageReader, type PageReader } from '../collect/pages/read-page.ts'
import { createHostProver, type HostProver } from '../collect/pages/prove-host.ts'
import type { Batch } from '../platform/db/batch.ts'
import { changesChannel } from '../platform/db/changes.ts'
import { createBudget } from '../platform/outbound/budget.ts'
import { steadyClock, systemClock, type Clock } from '../platform/clock.ts'
import { databaseFailures, openDb, type DatabaseFailure, type Db } from '../platform/db/db.ts'
import { createEgress, type Egress } from '../platform/outbound/egress.ts'
import { createTurns, type Turns } from '../platform/db/lock-retry.ts'
import type { Log } from '../platform/process/log.ts'
import { createLimits, type Limit } from '../platform/http/limits.ts'
import { createMeters, type Meters } from '../platform/process/meters.ts'
import { openNotifications, type Notifications } from '../platform/db/notifications.ts'
import { createCursors, type Cursors } from '../platform/http/page.ts'
import { createRecordMac, type RecordMac } from '../platform/crypto/record-mac.ts'
import { createSealer, type Sealer } from '../platform/crypto/secrets.ts'
import { createSecurityLog, type SecurityLog } from '../platform/http/security-log.ts'
import { outsideTraces } from '../platform/process/trace.ts'
import type { CircuitHealth } from '../money/providers/circuit.ts'
import { createClickPesa } from '../money/providers/clickpesa.ts'
import { createGuards } from '../money/providers/guarded-provider.ts'
import { createProviderMeter } from '../money/providers/metered-provider.ts'
import { wrapProviders, type EnvironmentProviders, type Provider, type Providers } from '../money/providers/provider.ts'
import { openSimulatedPhone, type SimulatedPhone } from '../money/providers/simulated-phone.ts'
import { createSnippe } from '../money/providers/snippe.ts'
import type { DocumentStore } from '../merchants/documents/document-store.ts'
import { findFolder, insertFolder } from '../merchants/documents/document.sql.ts'
import { listStored } from '../merchants/documents/list-stored.ts'
import { openStore } from '../merchants/documents/open-store.ts'
import { openSwitches, type Switches } from '../money/controls/read-switches.ts'

/** The database role of the service: it cannot rewrite history. */
export const serviceRole = 'malipo_service'

export type Dependencies = PageReader & {
  config: Config
  log: Log
  meters: Meters
  security: SecurityLog
  clock: Clock
  random: () => number
  db: Db
  /** A separate pool for what providers report, so that received money is booked even when the other pool is busy. */
  settlingDb: Db
  notifications: Notifications
  cursors: Cursors
  limits: Record<keyof Config['limits']['policies'], Limit>
  sealer: Sealer
  recordMac: RecordMac
  /** The database clocks that `verify` accepts as correct. */
  clocks: Clocks
  egress: Egress
  proveHost: HostProver
  mailer: Mailer
  documentStore: DocumentStore
  contentCheck: ContentCheck
  providers: Providers
  simulatedPhone: SimulatedPhone
  /** The health of each provider in each direction, as this process sees it: a read-only view for operators. */
  providerHealth(): CircuitHealth[]
  requestLog: RequestLog
  switches: Switches
  networks: Networks
  findKey: KeyFinder
  promptLimit: PromptLimit
  insertPayment: Batch<NewPayment, InsertedPayment>
  storeMessage: Batch<InboxMessage, Stored>
  settle: Settle
  recordAcceptance: Batch<Acceptance, boolean>
  payoutTurns: Turns<number>
  statuses: StatusReader
  version: string
  inBackground(work: Promise<unknown>): void
  /** Resolves when the background work of answered requests is done. */
  backgroundDone(): Promise<void>
  close(): Promise<void>
}

export function openServiceDb(
  config: Pick<Config, 'database' | 'keys' | 'mode'>,
  log: Log,
  applicationName: string,
  onFailure?: (kind: DatabaseFailure) => void,
): Db {
  return openDb({
    ...config.database,
    role: serviceRole,
    recordMac: createRecordMac(config.keys.integrity),
    applicationName,
    refusesPoolInsideTx: config.mode === 'local',
    // The trace that opened this connection has ended long ago.
    onError: (error) => outsideTraces(() => log.error('database.connection_lost', error)),
    onFailure,
  })
}

/** The adapters of the accounts that have settings. */
export function openProviders(config: Config): Providers {
  const providersOf = (environment: Environment): EnvironmentProviders => {
    const { charges, payouts, snippe, clickpesa } = config.providers[environment]
    const byName = new Map<string, Provider>()
    if (snippe)
      byName.set('snippe', createSnippe({ ...snippe, ...config.providerHttp, contactEmail: config.providerContactEmail }))
    if (clickpesa) byName.set('clickpesa', createClickPesa({ ...clickpesa, ...config.providerHttp }))
    // The configuration has checked that the chosen providers have settings.
    return { charges: byName.get(charges)!, payouts: byName.get(payouts)!, byName }
  }
  return { test: providersOf('test'), live: providersOf('live') }
}

export async function openDependencies(config: Config, log: Log, role: string): Promise<Dependencies> {
  const meters = createMeters()
  const failures = meters.counter('malipo_database_failures_total', 'Failed database statements, by cause.', ['pool', 'kind'])
  const failuresOf = (pool: string): ((kind: DatabaseFailure) => void) => {
    // Start each counter at 0, so that the first failure already shows as an increase.
    for (const kind of databaseFailures) failures({ pool, kind }, 0)
    return (kind) => failures({ pool, kind })
  }
  const forRequests = poolForRequests(config.database, role)
  const db = openServiceDb({ ...config, database: forRequests }, log, `malipo-${role}`, failuresOf('requests'))
  const forSettling = poolForSettling(config.database)
  const settlingDb = openServiceDb({ ...config, database: forSettling }, log, `malipo-${role}-settling`, failuresOf('settling'))
  const notifications = await openNotifications({
    url: config.database.sessionUrl,
    channels: ['payments_changed', 'webhooks_due', 'mails_due', 'switches_changed', 'networks_changed', changesChannel],
    log,
  })
  const guards = createGuards({
    settings: config.providerCircuit,
    patienceMs: config.providerBudget.patienceMs,
    clock: steadyClock,
    log,
    random: Math.random,
    budgetOf(name, environment) {
      const quota = config.providers[environment][name as ProviderName]?.requestsPerMinute
      if (quota === undefined) return undefined
      return {
        quota,
        budget: createBudget({
          name: `${name}-${environment}`,
          quota,
          windowSeconds: config.providerBudget.windowSeconds,
          db,
          log,
        }),
      }
    },
  })
  const providers = wrapProviders(wrapProviders(openProviders(config), createProviderMeter(meters)), guards.guard)
  const egress = createEgress({
    clock: systemClock,
    allowPrivate: config.webhooks.allowPrivateTargets,
    ownUrls: Object.values(config.urls),
  })
  const { documents } = config
  const contentCheck = createContentCheck({ ...documents, log })
  const mailer = createMailer(config.mail)
  const statuses = createStatusReader(db, providers, config)
  const simulatedPhone = openSimulatedPhone({ ...config.providerHttp, test: config.providers.test })
  notifications.on('payments_changed', (keys) => statuses.wake(keys))
  const switches = await openSwitches({ db, notifications, log })
  const networks = await openNetworks({ db, notifications, switches, log })
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
  const background = new Set<Promise<unknown>>()

  return {
    config,
    log,
    meters,
    security: createSecurityLog({ ...config.securityLog, log, clock: systemClock }),
    clock: systemClock,
    random: Math.random,
    db,
    settlingDb,
    notifications,
    cursors: createCursors(config.keys.cursor),
    limits: createLimits({ ...config.limits, hashKey: config.keys.limits, db, log }),
    sealer: createSealer(config.keys.envelope),
    recordMac: createRecordMac(config.keys.integrity),
    clocks: clocksOf(config.mode),
    egress,
    proveHost: createHostProver(egress),
    mailer,
    documentStore: openStore(documents.store, documents.maxBytes, {
      find: () => findFolder(db),
      insert: (id) => insertFolder(db, id),
      stored: () => listStored(db),
    }),
    contentCheck,
    providers,
    simulatedPhone,
    providerHealth: guards.health,
    requestLog: createRequestLog({ db, log }),
    switches,
    networks,
    ...createPageReader(db),
    findKey: createKeyFinder(db),
    promptLimit: createPromptLimit({ db, log, config }),
    insertPayment: createPaymentStore(db, config.database),
    storeMessage: createMessageStore(settlingDb, config.database),
    settle: meterSettle(createSettle({ db: settlingDb, log, promptSeconds: config.payments.promptSeconds }), meters),
    recordAcceptance: createAcceptanceRecord(settlingDb, config.database),
    payoutTurns: createTurns(),
    statuses,
    version: manifest.version,
    inBackground(work) {
      background.add(work)
      void work.finally(() => background.delete(work)).catch(() => undefined)
    },
    async backgroundDone() {
      while (background.size > 0) await Promise.allSettled(background)
    },
    async close() {
      await notifications.close()
      mailer.close()
      await Promise.all([switches.close(), networks.close()])
      const all = Object.values(providers).flatMap(({ byName }) => [...byName.values()])
      await Promise.all([
        egress.close(),
        ...all.map((provider) => provider.close()),
        contentCheck.close(),
        simulatedPhone.close(),
      ])
      await Promise.all([db.close(), settlingDb.close()])
    },
  }
}
