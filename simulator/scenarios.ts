/** What each magic number does, as data: the last three digits of the phone choose the row. Invariant: a number without a row waits for a person. */

/** One thing that happens by itself, in order, each `delayMs` after the one before. */
export type ChargeStep =
  | {
      kind: 'move'
      to: 'completed' | 'failed' | 'voided'
      reason?: string
      /** How often the one event is sent at once; 0 never. */ copies: number
    }
  /** An event that the books do not bear out: sent late, as if overtaken on the way. */
  | { kind: 'stale-event'; status: 'failed'; reason: string }

export type ChargeScenario = {
  about: string
  steps: readonly ChargeStep[]
  /** `after-first-step` plays the first step and waits for its webhook before the create is answered. */
  answer: 'at-once' | 'after-first-step'
  /** No event of this charge is ever sent, not even its expiry. */
  silent: boolean
}

const pays = (copies = 1): ChargeStep => ({ kind: 'move', to: 'completed', copies })
const fails = (reason: string): ChargeStep => ({ kind: 'move', to: 'failed', reason, copies: 1 })

/** Snippe has no reason codes, only words; these are the words of this simulator. */
export const failureWords = {
  insufficientFunds: 'Insufficient balance in wallet',
  wrongPin: 'Wrong PIN entered',
  cancelled: 'Transaction cancelled by user',
  timeout: 'Request timed out waiting for customer PIN',
  payerNotFound: 'Customer phone number is not registered for mobile money',
  limit: 'Customer transaction limit exceeded',
  unspecified: 'Something went wrong',
  recipientNotFound: 'Recipient phone number is invalid',
} as const

const row = (about: string, steps: readonly ChargeStep[], more: Partial<ChargeScenario> = {}): ChargeScenario => ({
  about,
  steps,
  answer: 'at-once',
  silent: false,
  ...more,
})

export const chargeScenarios: Readonly<Record<string, ChargeScenario>> = {
  '789': row('pays', [pays()]),
  '019': row('limit exceeded', [fails(failureWords.limit)]),
  '029': row('no wallet on this number', [fails(failureWords.payerNotFound)]),
  '039': row('cancelled by the customer', [fails(failureWords.cancelled)]),
  '049': row('insufficient funds', [fails(failureWords.insufficientFunds)]),
  '059': row('wrong PIN', [fails(failureWords.wrongPin)]),
  '069': row('unspecified failure', [fails(failureWords.unspecified)]),
  '079': row('nobody enters a PIN in time', [fails(failureWords.timeout)]),
  '129': row('silence: pending until it expires', [], { silent: true }),
  '139': row('pays, webhook never sent', [pays(0)], { silent: true }),
  '149': row('pays, webhook before the create response', [pays()], { answer: 'after-first-step' }),
  '159': row('pays, webhook three times with one id', [pays(3)]),
  '169': row('fails, then pays', [fails(failureWords.unspecified), pays()]),
  '179': row('pays, then a stale failure arrives', [
    pays(),
    { kind: 'stale-event', status: 'failed', reason: failureWords.unspecified },
  ]),
}

type PayoutStep = { to: 'completed' | 'failed' | 'reversed'; reason?: string }

export type PayoutScenario = {
  about: string
  steps: readonly PayoutStep[]
  /** Refused at the create as if the account were empty. */
  insufficientBalance: boolean
}

export const payoutScenarios: Readonly<Record<string, PayoutScenario>> = {
  '089': {
    about: 'recipient not found',
    steps: [{ to: 'failed', reason: failureWords.recipientNotFound }],
    insufficientBalance: false,
  },
  '119': { about: 'other error', steps: [{ to: 'failed', reason: failureWords.unspecified }], insufficientBalance: false },
  '309': { about: 'completed, then reversed', steps: [{ to: 'completed' }, { to: 'reversed' }], insufficientBalance: false },
  '319': { about: 'insufficient balance', steps: [], insufficientBalance: true },
}

export const ordinaryPayout: PayoutScenario = { about: 'arrives', steps: [{ to: 'completed' }], insufficientBalance: false }
