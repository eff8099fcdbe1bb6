/**
 * The parts of the product that the measured lines use; no other file of a measured line imports the product. `npm run bench --
 * --against <commit>` runs these files in the tree of an older commit, so each part is found by its exported name. A commit that moves
 * a file changes only the types here; one that renames an export needs `findOptionalPart` for both names.
 */
import type * as configFile from '../server/config/config.ts'
import type * as dependenciesFile from '../server/start/dependencies.ts'
import type * as appSqlFile from '../server/accounts/developers/app.sql.ts'
import type * as keySqlFile from '../server/accounts/developers/key.sql.ts'
import type * as keyFile from '../server/accounts/developers/key.ts'
import type * as merchantSqlFile from '../server/accounts/identity/merchant.sql.ts'
import type * as userSqlFile from '../server/accounts/identity/user.sql.ts'
import type * as accountSqlFile from '../server/money/ledger/account.sql.ts'
import type * as pageFile from '../server/collect/pages/page.ts'
import type * as pageSqlFile from '../server/collect/pages/page.sql.ts'
import type * as orderMacFile from '../server/collect/payments/order-mac.ts'
import type * as paymentSqlFile from '../server/collect/payments/payment.sql.ts'
import type * as settleSqlFile from '../server/collect/payments/settle.sql.ts'
import type * as settleFile from '../server/collect/payments/settle.ts'
import type * as settlementFile from '../server/collect/payments/settlement.ts'
import type * as secretsFile from '../server/platform/crypto/secrets.ts'
import type * as dbFile from '../server/platform/db/db.ts'
import type * as loginsSqlFile from '../server/platform/db/logins.sql.ts'
import type * as migrateFile from '../server/platform/db/migrate.ts'
import type * as notificationsFile from '../server/platform/db/notifications.ts'
import type * as idsFile from '../server/platform/ids.ts'
import type * as egressFile from '../server/platform/outbound/egress.ts'
import type * as logFile from '../server/platform/process/log.ts'
import type * as metersFile from '../server/platform/process/meters.ts'
import type * as deliverWebhooksFile from '../server/merchants/webhooks/deliver-webhooks.ts'
import type * as endpointSqlFile from '../server/merchants/webhooks/endpoint.sql.ts'
import type * as endpointFile from '../server/merchants/webhooks/endpoint.ts'
import type * as signatureFile from '../server/merchants/webhooks/signature.ts'
import type * as appFile from '../test/app.ts'
import { findOptionalPart, findPart } from './find-part.ts'

export const openDb = await findPart<typeof dbFile.openDb>('openDb')
export const sql = await findPart<typeof dbFile.sql>('sql')
export const migrate = await findPart<typeof migrateFile.migrate>('migrate')
export const serviceRole = await findPart<typeof dependenciesFile.serviceRole>('serviceRole')
export const openNotifications = await findPart<typeof notificationsFile.openNotifications>('openNotifications')
export const createLog = await findPart<typeof logFile.createLog>('createLog')
export const createMeters = await findPart<typeof metersFile.createMeters>('createMeters')

export const newId = await findPart<typeof idsFile.newId>('newId')
export const newMoneyId = await findPart<typeof idsFile.newMoneyId>('newMoneyId')
export const homeOfMerchant = await findPart<typeof idsFile.homeOfMerchant>('homeOfMerchant')
export const toWire = await findPart<typeof idsFile.toWire>('toWire')
export const fromWire = await findPart<typeof idsFile.fromWire>('fromWire')

export const insertUser = await findPart<typeof userSqlFile.insertUser>('insertUser')
export const insertPersonalMerchant = await findPart<typeof merchantSqlFile.insertPersonalMerchant>('insertPersonalMerchant')
export const setVerificationStatus = await findPart<typeof merchantSqlFile.setVerificationStatus>('setVerificationStatus')
export const openWallet = await findPart<typeof accountSqlFile.openWallet>('openWallet')
export const defaultSettings = await findPart<typeof pageFile.defaultSettings>('defaultSettings')
export const insertPage = await findPart<typeof pageSqlFile.insertPage>('insertPage')
export const insertApp = await findPart<typeof appSqlFile.insertApp>('insertApp')
export const insertKey = await findPart<typeof keySqlFile.insertKey>('insertKey')
export const hashOfKey = await findPart<typeof keyFile.hashOfKey>('hashOfKey')
export const newKeyValue = await findPart<typeof keyFile.newKeyValue>('newKeyValue')

export const insertPayments = await findPart<typeof paymentSqlFile.insertPayments>('insertPayments')
export const settlementOf = await findPart<typeof settlementFile.settlementOf>('settlementOf')
export const applySettlements = await findPart<typeof settleSqlFile.applySettlements>('applySettlements')
export const createSettle = await findPart<typeof settleFile.createSettle>('createSettle')
export const waitingKey = await findPart<typeof settleFile.waitingKey>('waitingKey')

export const createSealer = await findPart<typeof secretsFile.createSealer>('createSealer')
export const upsertEndpoint = await findPart<typeof endpointSqlFile.upsertEndpoint>('upsertEndpoint')
export const newSecret = await findPart<typeof endpointFile.newSecret>('newSecret')
export const sealSecret = await findPart<typeof endpointFile.sealSecret>('sealSecret')
export const signatureHeaders = await findPart<typeof signatureFile.signatureHeaders>('signatureHeaders')
export const signingKeyOf = await findPart<typeof signatureFile.signingKeyOf>('signingKeyOf')
export const unsignedHeaders = await findPart<typeof signatureFile.unsignedHeaders>('unsignedHeaders')
export const createEgress = await findPart<typeof egressFile.createEgress>('createEgress')
export const startDeliveries = await findPart<typeof deliverWebhooksFile.startDeliveries>('startDeliveries')

export const loadConfig = await findPart<typeof configFile.loadConfig>('loadConfig')
export const freePorts = await findPart<typeof appFile.freePorts>('freePorts')
export const testSettings = await findPart<typeof appFile.testSettings>('testSettings')

/** Parts that older commits do not have. */
export const takeSlug = await findOptionalPart<typeof pageSqlFile.takeSlug>('takeSlug')
export const chargeOrderMac = await findOptionalPart<typeof orderMacFile.chargeOrderMac>('chargeOrderMac')
export const makeLogins = await findOptionalPart<typeof loginsSqlFile.makeLogins>('makeLogins')
export const withLogin = await findOptionalPart<typeof loginsSqlFile.withLogin>('withLogin')
