/** How often callers may do something: the limits of the contract (section 9), and the operator's changes. */
import { z } from 'zod'
import { onOffSchema } from '../domain/switch.ts'
import { limitNameOf, type Policy } from '../platform/http/limits.ts'
import { ConfigError, list, type Given } from './values.ts'

const quotas = list.pipe(
  z.array(
    z
      .string()
      .regex(/^[a-z-]+=[1-9]\d{0,8}\/[1-9]\d{0,6}$/, 'write each as name=quota/seconds, such as sign-in=5/900')
      .transform((text) => {
        const [name, quota, windowSeconds] = text.split(/[=/]/) as [string, string, string]
        return { name, quota: Number(quota), windowSeconds: Number(windowSeconds) }
      }),
  ),
)

export const limitVariables = {
  RATE_LIMITS: onOffSchema.default('on'),
  RATE_LIMIT_QUOTAS: quotas.default([]),
}

type LimitName =
  | 'signIn'
  | 'signInAccount'
  | 'signInAccountSlow'
  | 'signInAddress'
  | 'signInAddressSlow'
  | 'register'
  | 'registerOverall'
  | 'registerInRush'
  | 'key'
  | 'checkout'
  | 'status'
  | 'unknownReference'
  | 'presign'
  | 'logo'
  | 'invitation'
  | 'webhookSecret'
  | 'passwordReset'
  | 'webhookTest'
  | 'redirectHost'
  | 'payout'
  | 'supportCase'
  | 'supportCasePhone'
  | 'supportCaseMail'
  | 'supportCaseAddress'
  | 'payerReveal'

export type Limits = Readonly<{
  areOn: boolean
  policies: Readonly<Record<LimitName, Policy>>
  /** By phone, over all pages. A prompt without an answer blocks the next prompt of the same page for `openSeconds`. */
  prompts: Readonly<{ quotas: readonly Readonly<{ quota: number; windowSeconds: number }>[]; openSeconds: number }>
}>

/** The limits of the contract (section 9). */
const policies: Limits['policies'] = Object.freeze({
  /** Wrong tries for one account from one address. */
  signIn: { quota: 5, windowSeconds: 900, countedBy: 'all_processes' },
  /** Wrong tries for one account from networks that the account does not know, and the rate that still passes when those are used up. */
  signInAccount: { quota: 20, windowSeconds: 3600, countedBy: 'all_processes' },
  signInAccountSlow: { quota: 1, windowSeconds: 30, countedBy: 'all_processes' },
  /** The same from one address, for accounts that do not know the address. */
  signInAddress: { quota: 50, windowSeconds: 900, countedBy: 'all_processes' },
  signInAddressSlow: { quota: 1, windowSeconds: 10, countedBy: 'all_processes' },
  /** By network; in total; and by network while the total is exceeded. */
  register: { quota: 60, windowSeconds: 3600, countedBy: 'all_processes' },
  registerOverall: { quota: 300, windowSeconds: 3600, countedBy: 'all_processes' },
  registerInRush: { quota: 3, windowSeconds: 3600, countedBy: 'all_processes' },
  /** Wrong codes for one account from one network. */
  passwordReset: { quota: 10, windowSeconds: 86_400, countedBy: 'all_processes' },
  key: { quota: 100, windowSeconds: 1, countedBy: 'each_process' },
  /** By address. Carriers and merchants' servers share addresses. */
  checkout: { quota: 600, windowSeconds: 60, countedBy: 'each_process' },
  /** By payment. */
  status: { quota: 60, windowSeconds: 60, countedBy: 'each_process' },
  /** By address. */
  unknownReference: { quota: 30, windowSeconds: 60, countedBy: 'each_process' },
  /** By business or person. */
  presign: { quota: 30, windowSeconds: 3600, countedBy: 'all_processes' },
  /** By business or person: each logo is decoded. */
  logo: { quota: 20, windowSeconds: 3600, countedBy: 'all_processes' },
  /** By business. */
  invitation: { quota: 60, windowSeconds: 3600, countedBy: 'all_processes' },
  /** By wallet. */
  payout: { quota: 120, windowSeconds: 60, countedBy: 'all_processes' },
  /** By payment; by the phone of the payment; by the address that the answer is mailed to; by network address, which carriers share. */
  supportCase: { quota: 5, windowSeconds: 86_400, countedBy: 'all_processes' },
  supportCasePhone: { quota: 10, windowSeconds: 86_400, countedBy: 'all_processes' },
  supportCaseMail: { quota: 5, windowSeconds: 86_400, countedBy: 'all_processes' },
  supportCaseAddress: { quota: 300, windowSeconds: 3600, countedBy: 'all_processes' },
  /** By person: the numbers of payers are for calling one of them, not for a list of them. */
  payerReveal: { quota: 30, windowSeconds: 3600, countedBy: 'all_processes' },
  /** By app. */
  webhookTest: { quota: 60, windowSeconds: 3600, countedBy: 'each_process' },
  /** By merchant: each call asks another party's host for its proof. */
  redirectHost: { quota: 30, windowSeconds: 3600, countedBy: 'each_process' },
  /** By the person who reads the secret. */
  webhookSecret: { quota: 60, windowSeconds: 3600, countedBy: 'each_process' },
})

/** How often one phone may be prompted (contract section 9). */
const promptQuotas = {
  'prompts-burst': { quota: 5, windowSeconds: 600 },
  'prompts-day': { quota: 20, windowSeconds: 86_400 },
}

/** The limits of the contract, with the operator's changes. */
export function limitSettings(env: Given<typeof limitVariables>): Limits {
  const changed = new Map(env.RATE_LIMIT_QUOTAS.map(({ name, ...quota }) => [name, quota]))
  const names = [...Object.keys(policies).map(limitNameOf), ...Object.keys(promptQuotas)]
  const unknown = [...changed.keys()].filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(`RATE_LIMIT_QUOTAS names no limit: ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
  }
  return Object.freeze({
    areOn: env.RATE_LIMITS === 'on',
    policies: Object.fromEntries(
      Object.entries(policies).map(([name, policy]) => [name, { ...policy, ...changed.get(limitNameOf(name)) }]),
    ) as Limits['policies'],
    prompts: {
      quotas: Object.entries(promptQuotas).map(([name, quota]) => changed.get(name) ?? quota),
      openSeconds: 120,
    },
  })
}
