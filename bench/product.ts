/**
 * The parts of the product that the measured lines use; no other file of a measured line imports the product. `npm run bench --
 * --against <commit>` runs these files in the tree of an older commit, so each part is found by its exported name. A commit that moves
 * a file changes only the types here; one that renames an export needs `findOptionalPart` for both names.
 */
import { findOptionalPart, findPart } from './find-part.ts'

type Crypto = typeof import('../server/platform/crypto/secrets.ts')
type DbFile = typeof import('../server/platform/db/db.ts')
type Egress = typeof import('../server/platform/outbound/egress.ts')
type Endpoint = typeof import('../server/webhooks/endpoint.ts')
type Ids = typeof import('../server/platform/ids.ts')
type Key = typeof import('../server/developers/key.ts')
type Logins = typeof import('../server/platform/db/logins.sql.ts')
type Merchant = typeof import('../server/identity/merchant.sql.ts')
type Page = typeof import('../server/pages/page.sql.ts')
type Settle = typeof import('../server/payments/settle.ts')
type Signature = typeof import('../server/webhooks/signature.ts')
type TestApp = typeof import('../test/app.ts')

export const openDb = await findPart<DbFile['openDb']>('openDb')
export const sql = await findPart<DbFile['sql']>('sql')
export const migrate = await findPart<typeof import('../server/platform/db/migrate.ts').migrate>('migrate')
export const serviceRole = await findPart<typeof import('../server/dependencies.ts').serviceRole>('serviceRole')
export const openNotifications =
  await findPart<typeof import('../server/platform/db/notifications.ts').openNotifications>('openNotifications')
export const createLog = await findPart<typeof import('../server/platform/process/log.ts').createLog>('createLog')
export const createMeters = await findPart<typeof import('../server/platform/process/meters.ts').createMeters>('createMeters')

export const newId = await findPart<Ids['newId']>('newId')
export const newMoneyId = await findPart<Ids['newMoneyId']>('newMoneyId')
export const homeOfMerchant = await findPart<Ids['homeOfMerchant']>('homeOfMerchant')
export const toWire = await findPart<Ids['toWire']>('toWire')
export const fromWire = await findPart<Ids['fromWire']>('fromWire')

export const insertUser = await findPart<typeof import('../server/identity/user.sql.ts').insertUser>('insertUser')
export const insertPersonalMerchant = await findPart<Merchant['insertPersonalMerchant']>('insertPersonalMerchant')
export const setVerificationStatus = await findPart<Merchant['setVerificationStatus']>('setVerificationStatus')
export const openWallet = await findPart<typeof import('../server/ledger/account.sql.ts').openWallet>('openWallet')
export const insertPage = await findPart<Page['insertPage']>('insertPage')
export const insertApp = await findPart<typeof import('../server/developers/app.sql.ts').insertApp>('insertApp')
export const insertKey = await findPart<typeof import('../server/developers/key.sql.ts').insertKey>('insertKey')
export const hashOfKey = await findPart<Key['hashOfKey']>('hashOfKey')
export const newKeyValue = await findPart<Key['newKeyValue']>('newKeyValue')

export const insertPayments = await findPart<typeof import('../server/payments/payment.sql.ts').insertPayments>('insertPayments')
export const settlementOf = await findPart<typeof import('../server/payments/settlement.ts').settlementOf>('settlementOf')
export const applySettlements =
  await findPart<typeof import('../server/payments/settle.sql.ts').applySettlements>('applySettlements')
export const createSettle = await findPart<Settle['createSettle']>('createSettle')
export const waitingKey = await findPart<Settle['waitingKey']>('waitingKey')

export const createSealer = await findPart<Crypto['createSealer']>('createSealer')
export const upsertEndpoint = await findPart<typeof import('../server/webhooks/endpoint.sql.ts').upsertEndpoint>('upsertEndpoint')
export const newSecret = await findPart<Endpoint['newSecret']>('newSecret')
export const sealSecret = await findPart<Endpoint['sealSecret']>('sealSecret')
export const signatureHeaders = await findPart<Signature['signatureHeaders']>('signatureHeaders')
export const signingKeyOf = await findPart<Signature['signingKeyOf']>('signingKeyOf')
export const unsignedHeaders = await findPart<Signature['unsignedHeaders']>('unsignedHeaders')
export const createEgress = await findPart<Egress['createEgress']>('createEgress')
export const startDeliveries =
  await findPart<typeof import('../server/webhooks/deliver-webhooks.ts').startDeliveries>('startDeliveries')

export const loadConfig = await findPart<typeof import('../server/config.ts').loadConfig>('loadConfig')
export const freePorts = await findPart<TestApp['freePorts']>('freePorts')
export const testSettings = await findPart<TestApp['testSettings']>('testSettings')

/** Parts that older commits do not have. */
export const takeSlug = await findOptionalPart<Page['takeSlug']>('takeSlug')
export const chargeOrderMac =
  await findOptionalPart<typeof import('../server/payments/order-mac.ts').chargeOrderMac>('chargeOrderMac')
export const makeLogins = await findOptionalPart<Logins['makeLogins']>('makeLogins')
export const withLogin = await findOptionalPart<Logins['withLogin']>('withLogin')
