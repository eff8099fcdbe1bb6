/**
 * The operator's commands after something was stolen or lost: keys, webhook secrets, accounts, second factors. Invariant: a
 * secret is read from standard input and never from the command line, which other users of the machine can see.
 */
import { addressTyped } from '../../domain/typed.ts'
import { onOff } from '../../domain/switch.ts'
import { pauseKeysOf } from '../../accounts/developers/pause-keys.ts'
import { findLeakedKey, revokeLeaked } from '../../accounts/developers/revoke-leaked.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { disableAccount, enableAccount } from '../../accounts/identity/disable-account.ts'
import { findMerchant, findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf } from '../../accounts/identity/merchant.ts'
import { createPasswords } from '../../accounts/identity/password.ts'
import { resetAdminFactor } from '../../accounts/identity/reset-admin-factor.ts'
import { findOpenPages } from '../../collect/pages/page.sql.ts'
import { orderSecondStep } from '../../collect/payments/order-second-step.ts'
import { everyone, listSecondSteps } from '../../collect/payments/pace.sql.ts'
import { command, UsageError, type Commands } from '../../platform/process/commands.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { must, orNotFound } from '../../platform/refusal.ts'
import { createSealer } from '../../platform/crypto/secrets.ts'
import { rotateLeakedSecret } from '../../merchants/webhooks/rotate-secret.ts'

type Deps = {
  open(): Promise<{ config: Config; db: Db }>
  print(line: string): void
  /** Returns the first line of standard input, after showing `question` on a terminal. */
  ask(question: string): Promise<string>
}

async function openSealed({ open }: Pick<Deps, 'open'>) {
  const { config, db } = await open()
  return { config, db, sealer: createSealer(config.keys.envelope) }
}

async function findKey({ open, print, ask }: Deps): Promise<void> {
  const { config, db } = await open()
  const key = orNotFound(await findLeakedKey({ config, db }, await ask('The value of the key: ')))
  const merchant = must(await findMerchant(db, key.merchantId), 'a key has a merchant')
  print(`Key       ${toWire('key', key.keyId)}  "${key.keyName}"  ${key.environment}
App       ${toWire('app', key.appId)}  "${key.appName}"
Merchant  ${wireIdOf(merchant)}  ${merchant.displayName}
Scopes    ${key.scopes.join(' ')}
State     ${key.isRevoked ? 'revoked' : key.isExpired ? 'expired' : 'works'}`)
}

async function revokeKeys(deps: Deps, id: string): Promise<void> {
  const [keyId, appId] = [fromWire('key', id), fromWire('app', id)]
  const what = keyId ? { keyId } : appId ? { appId } : undefined
  if (!what) throw new UsageError()
  const keys = await revokeLeaked(await openSealed(deps), what, byCommandLine)
  for (const { id: revoked, keyName, last4 } of keys) deps.print(`${toWire('key', revoked)} "${keyName}" (…${last4}) is revoked.`)
}

async function disable(deps: Deps, [word]: [string]): Promise<void> {
  const email = addressTyped(word)
  const { db, sealer } = await openSealed(deps)
  const account = { db, sealer, passwords: createPasswords() }
  const { endedSessions, stopped: keys } = await disableAccount(account, email, byCommandLine, (tx, userId) =>
    pauseKeysOf({ sealer }, tx, userId, byCommandLine),
  )
  deps.print(`${email} is disabled; ${endedSessions} sessions have ended.`)
  if (keys.length > 0)
    deps.print('Live keys of businesses that this person made or granted. Revoke those that the owners do not know:')
  for (const { id, keyName, last4, isPaused } of keys) {
    const state = isPaused ? 'makes no payouts until an owner or admin grants it' : 'works on'
    deps.print(`malipo-ops key revoke ${toWire('key', id)}   # "${keyName}" (…${last4}) ${state}`)
  }
}

async function resetFactor(deps: Deps, [email, witness]: [string, string]): Promise<void> {
  const { config, db, sealer } = await openSealed(deps)
  const code = await deps.ask(`A code of ${witness}: `)
  const factor = await resetAdminFactor({ config, db, sealer }, { email, witness, code })
  deps.print(`${email} has a new second factor. All of this is shown once: hand it over in person.

  Secret          ${factor.secret}
  otpauth URL     ${factor.otpauthUrl}
  Recovery codes  ${factor.recoveryCodes.join('\n                  ')}`)
}

async function listSteps({ open, print }: Deps): Promise<void> {
  const steps = await listSecondSteps((await open()).db)
  if (steps.length === 0) print('No page asks for confirmations, and nothing is ordered.')
  for (const { what, name, since, reason } of steps) {
    print(`${what.padEnd(4)}  since ${since.toISOString()}  ${name}${reason === null ? '' : `  ${reason}`}`)
  }
}

const modes = [...onOff, 'auto'] as const

async function orderStep({ open, print }: Deps, [name, wanted, reason]: readonly [string, string, string]): Promise<void> {
  const mode = modes.find((one) => one === wanted)
  if (mode === undefined || reason.trim() === '') throw new UsageError()
  const { db } = await open()
  const [page] = await findOpenPages(db, [name])
  const subject = orNotFound(name === 'all' ? everyone : ((await findMerchantByWire(db, name))?.id ?? page?.id))
  await orderSecondStep(db, { subject, name, mode, reason: reason.trim() }, byCommandLine)
  print(`Confirmations of ${name}: ${mode}.`)
}

export const emergencyCommands: Commands<Deps> = {
  'key find': command({
    summary: 'Show whose API key this is. Reads the key from standard input.',
    run: findKey,
  }),
  'key revoke': command({
    takes: ['key_… | app_…'],
    summary: 'Revoke one API key, or all keys of an app. Notifies the owner by mail.',
    run: (deps: Deps, [id]) => revokeKeys(deps, id),
  }),
  'webhook rotate': command({
    takes: ['app_…'],
    summary: 'Replace the webhook secret of an app. Notifies the owner by mail.',
    run: async (deps: Deps, [id]) => {
      const appId = fromWire('app', id)
      if (!appId) throw new UsageError()
      await rotateLeakedSecret(await openSealed(deps), appId, byCommandLine)
      deps.print(`The webhook of ${toWire('app', appId)} has another secret. For 24 hours the old one signs beside it.`)
    },
  }),
  'account disable': command({
    takes: ['email'],
    summary: 'End all sessions of an account; disable its password and personal keys; pause payouts of its new business keys.',
    run: disable,
  }),
  'account enable': command({
    takes: ['email'],
    summary: 'Enable a disabled account. Its owner must choose a new password by mail.',
    run: async (deps: Deps, [word]) => {
      const email = addressTyped(word)
      await enableAccount(await openSealed(deps), email, byCommandLine)
      deps.print(`${email} is enabled and has to choose a new password: POST /v1/auth/password/forgot.`)
    },
  }),
  'second-step list': command({
    summary: 'List live pages whose payers must confirm first, and the reason.',
    run: listSteps,
  }),
  'second-step': command({
    takes: ['all | slug | biz_… | usr_…', 'on | off | auto', 'reason'],
    summary: 'Require confirmation on all pages, a page or a merchant; auto: decide by the rate of checkouts.',
    run: orderStep,
  }),
  'admin reset-factor': command({
    takes: ['email'],
    flags: '--witness <email>',
    options: { witness: { type: 'string' } },
    summary: 'Replace the second factor of an operator. Reads a code of another operator from standard input.',
    run: async (deps: Deps, [email], { witness }) => {
      if (!witness) throw new UsageError()
      await resetFactor(deps, [addressTyped(email), addressTyped(witness)])
    },
  }),
}
