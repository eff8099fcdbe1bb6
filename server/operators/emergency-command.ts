/**
 * The operator's commands after something was stolen or lost: keys, webhook secrets, accounts, second factors. Invariant: a
 * secret is read from standard input and never from the command line, which other users of the machine can see.
 */
import { findLeakedKey, revokeLeaked } from '../developers/revoke-leaked.ts'
import { byCommandLine } from '../audit/audit.ts'
import type { Config } from '../config.ts'
import { disableAccount, enableAccount } from '../identity/disable-account.ts'
import { findMerchant, findMerchantByWire } from '../identity/merchant.sql.ts'
import { wireIdOf } from '../identity/merchant.ts'
import { createPasswords } from '../identity/password.ts'
import { resetAdminFactor } from '../identity/reset-admin-factor.ts'
import { findOpenPages } from '../pages/page.sql.ts'
import { orderSecondStep } from '../payments/order-second-step.ts'
import { everyone, listSecondSteps } from '../payments/pace.sql.ts'
import { systemClock } from '../platform/clock.ts'
import type { Db } from '../platform/db/db.ts'
import { fromWire, toWire } from '../platform/ids.ts'
import { assert, notFound } from '../platform/refusal.ts'
import { createSealer } from '../platform/crypto/secrets.ts'
import { rotateLeakedSecret } from '../webhooks/rotate-secret.ts'

export const emergencyUsage = `  key find                 whose API key the one on standard input is
  key revoke <key_… | app_…>
                           revoke a key, or all of an app, for its owner, who is told by mail
  webhook rotate <app_…>   give the webhook of an app another secret for its owner, who is told by mail
  account disable <email>  shut an account: sessions, password and personal keys end at once
  account enable <email>   open it again; its owner chooses a new password by mail
  second-step list         live pages whose payers confirm first, for their pace or because operators ordered it
  second-step <all | slug | biz_… | usr_…> <on | off | auto> <reason>
                           order it for all pages, a page or a merchant, whatever the pace; auto: the pace decides
  admin reset-factor <email> --witness <email>
                           a new second factor for an operator; a code of another operator is read from standard input`

export type EmergencyDeps = {
  config: Config
  db: Db
  print(line: string): void
  /** Returns the first line of standard input, after showing `question` on a terminal. */
  ask(question: string): Promise<string>
}

export type Emergency = (deps: EmergencyDeps) => Promise<void>

const sealerOf = ({ config }: EmergencyDeps) => createSealer(config.keys.envelope)

const findKey: Emergency = async (deps) => {
  const key = await findLeakedKey(deps, await deps.ask('The value of the key: '))
  if (!key) throw notFound()
  const merchant = await findMerchant(deps.db, key.merchantId)
  assert(merchant, 'a key has a merchant')
  deps.print(`Key       ${toWire('key', key.keyId)}  "${key.keyName}"  ${key.environment}
App       ${toWire('app', key.appId)}  "${key.appName}"
Merchant  ${wireIdOf(merchant)}  ${merchant.displayName}
Scopes    ${key.scopes.join(' ')}
State     ${key.isRevoked ? 'revoked' : key.isExpired ? 'expired' : 'works'}`)
}

function revoke(what: { keyId: string } | { appId: string }): Emergency {
  return async (deps) => {
    const keys = await revokeLeaked({ db: deps.db, sealer: sealerOf(deps) }, what, byCommandLine)
    for (const { id, keyName, last4 } of keys) deps.print(`${toWire('key', id)} "${keyName}" (…${last4}) is revoked.`)
  }
}

function rotate(appId: string): Emergency {
  return async (deps) => {
    await rotateLeakedSecret({ db: deps.db, sealer: sealerOf(deps) }, appId, byCommandLine)
    deps.print(`The webhook of ${toWire('app', appId)} has another secret. For 24 hours the old one signs beside it.`)
  }
}

function disable(email: string): Emergency {
  return async (deps) => {
    const sealer = sealerOf(deps)
    const ended = await disableAccount({ db: deps.db, sealer, passwords: createPasswords() }, email, byCommandLine)
    deps.print(`${email} is disabled; ${ended} sessions have ended.`)
  }
}

function enable(email: string): Emergency {
  return async (deps) => {
    await enableAccount({ db: deps.db, sealer: sealerOf(deps) }, email, byCommandLine)
    deps.print(`${email} is enabled and has to choose a new password: POST /v1/auth/password/forgot.`)
  }
}

function resetFactor(email: string, witness: string): Emergency {
  return async (deps) => {
    const code = await deps.ask(`A code of ${witness}: `)
    const factor = await resetAdminFactor({ ...deps, sealer: sealerOf(deps), clock: systemClock }, { email, witness, code })
    deps.print(`${email} has a new second factor. All of this is shown once: hand it over in person.

  Secret          ${factor.secret}
  otpauth URL     ${factor.otpauthUrl}
  Recovery codes  ${factor.recoveryCodes.join('\n                  ')}`)
  }
}

const listSteps: Emergency = async (deps) => {
  const steps = await listSecondSteps(deps.db)
  if (steps.length === 0) deps.print('No page asks for confirmations, and nothing is ordered.')
  for (const { what, name, since, reason } of steps) {
    deps.print(`${what.padEnd(4)}  since ${since.toISOString()}  ${name}${reason === null ? '' : `  ${reason}`}`)
  }
}

const modes = ['on', 'off', 'auto'] as const

function orderStep(name: string, mode: (typeof modes)[number], reason: string): Emergency {
  return async ({ db, print }) => {
    const [page] = await findOpenPages(db, [name])
    const subject = name === 'all' ? everyone : ((await findMerchantByWire(db, name))?.id ?? page?.id)
    if (subject === undefined) throw notFound()
    await orderSecondStep(db, { subject, name, mode, reason }, byCommandLine)
    print(`Confirmations of ${name}: ${mode}.`)
  }
}

function readStep(words: readonly string[]): Emergency | 'wrong' {
  const [name, wanted, reason, ...more] = words
  if (name === 'list' && wanted === undefined) return listSteps
  const mode = modes.find((one) => one === wanted)
  return name !== undefined && mode !== undefined && reason?.trim() && more.length === 0
    ? orderStep(name, mode, reason.trim())
    : 'wrong'
}

/** The command for these words; undefined when they are another command, `'wrong'` when a word is missing or extra. */
export function readEmergency(words: readonly string[]): Emergency | 'wrong' | undefined {
  const [command, action, argument, option, value, ...more] = words
  const email = argument?.trim().toLowerCase()
  if (command === 'second-step') return readStep(words.slice(1))
  if (command === 'admin' && action === 'reset-factor') {
    return email && option === '--witness' && value && more.length === 0
      ? resetFactor(email, value.trim().toLowerCase())
      : 'wrong'
  }
  if (command === 'key' && action === 'find') return argument === undefined ? findKey : 'wrong'
  if (option !== undefined || argument === undefined)
    return ['key', 'webhook', 'account'].includes(command!) ? 'wrong' : undefined
  const keyId = fromWire('key', argument)
  const appId = fromWire('app', argument)
  if (command === 'key' && action === 'revoke') return keyId ? revoke({ keyId }) : appId ? revoke({ appId }) : 'wrong'
  if (command === 'webhook' && action === 'rotate') return appId ? rotate(appId) : 'wrong'
  if (command === 'account' && action === 'disable') return disable(email!)
  if (command === 'account' && action === 'enable') return enable(email!)
  return ['key', 'webhook', 'account'].includes(command!) ? 'wrong' : undefined
}
