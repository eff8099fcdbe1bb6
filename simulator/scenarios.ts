/**
 * The scenario of each magic number, as data: the last three digits of the phone choose the row. Invariant: a number without a row
 * waits for a person.
 */

/** One automatic step, in order, each `delayMs` after the previous one. */
export type ChargeStep =
  | {
      kind: 'move'
      to: 'completed' | 'failed' | 'voided' | 'expired'
      reason?: string
      /** How many copies of the one event are sent at once; 0 never sends it. */
      copies: number
      /** Added to the ordered amount: the payer pays this much more or less, and the books record it. */
      amountOff?: number
    }
  /** An event that contradicts the books: sent late, as if overtaken in transit. */
  | { kind: 'stale-event'; status: 'failed'; reason: string }

/** The fault of the create itself; it affects the first answer only, unless the name says otherwise. */
export type CreateFault =
  /** Recorded in the books, answered with HTTP 500. */
  | 'fails-after'
  /** Recorded in the books, answered with HTTP 200 and half a document. */
  | 'malformed'
  /** No action for `hangMs`, then recorded in the books. */
  | 'hang'
  /** Refused, not recorded in the books: PAY_001 the first time or each time, 429 and INT_003 each time. */
  | 'pay001-once'
  | 'pay001'
  | 'rate-limited'
  | 'unreachable'

/** The flaw of every attempt of every event. */
export type WebhookFlaw = 'bad-signature' | 'old-timestamp'

export type ChargeScenario = {
  about: string
  /** The same in Swahili, for the phone's screen. */
  sw: string
  steps: readonly ChargeStep[]
  starts: 'at-create' | 'at-expiry'
  create: CreateFault | null
  flaw: WebhookFlaw | null
  /** `after-first-step` runs the first step and waits for its webhook before the create is answered. */
  answer: 'at-once' | 'after-first-step'
  /** No event of this charge is ever sent, not even its expiry. */
  silent: boolean
}

const pays = (copies = 1): ChargeStep => ({ kind: 'move', to: 'completed', copies })
const paysAnother = (amountOff: number): ChargeStep => ({ kind: 'move', to: 'completed', copies: 1, amountOff })
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

const row = (
  [about, sw]: readonly [en: string, sw: string],
  steps: readonly ChargeStep[],
  more: Partial<ChargeScenario> = {},
): ChargeScenario => ({
  about,
  sw,
  steps,
  starts: 'at-create',
  create: null,
  flaw: null,
  answer: 'at-once',
  silent: false,
  ...more,
})

export const chargeScenarios: Readonly<Record<string, ChargeScenario>> = {
  '789': row(['pays', 'inalipa'], [pays()]),
  '019': row(['limit exceeded', 'imevuka kiwango'], [fails(failureWords.limit)]),
  '029': row(['no wallet on this number', 'namba haina pochi'], [fails(failureWords.payerNotFound)]),
  '039': row(['cancelled by the customer', 'mteja anaghairi'], [fails(failureWords.cancelled)]),
  '049': row(['insufficient funds', 'salio halitoshi'], [fails(failureWords.insufficientFunds)]),
  '059': row(['wrong PIN', 'namba ya siri si sahihi'], [fails(failureWords.wrongPin)]),
  '069': row(['unspecified failure', 'inashindikana bila sababu'], [fails(failureWords.unspecified)]),
  '079': row(['no PIN is entered in time', 'namba ya siri haiwekwi kwa wakati'], [fails(failureWords.timeout)]),
  '099': row(['expires within a minute', 'muda unaisha ndani ya dakika'], [{ kind: 'move', to: 'expired', copies: 1 }]),
  '129': row(['silence: pending until it expires', 'kimya: inasubiri hadi muda uishe'], [], { silent: true }),
  '139': row(['pays, webhook never sent', 'inalipa, webhook haitumwi kamwe'], [pays(0)], { silent: true }),
  '149': row(['pays, webhook before the create response', 'inalipa, webhook inatangulia jibu la ombi'], [pays()], {
    answer: 'after-first-step',
  }),
  '159': row(['pays, webhook three times with one id', 'inalipa, webhook mara tatu kwa kitambulisho kimoja'], [pays(3)]),
  '169': row(['fails, then pays', 'inashindikana, kisha inalipa'], [fails(failureWords.unspecified), pays()]),
  '179': row(
    ['pays, then a stale failure arrives', 'inalipa, kisha taarifa ya zamani ya kushindikana inafika'],
    [pays(), { kind: 'stale-event', status: 'failed', reason: failureWords.unspecified }],
  ),
  '189': row(['pays 100 shillings too little', 'inalipa pungufu kwa TSh 100'], [paysAnother(-100)]),
  '199': row(['accepted but answered with 500, then pays', 'ombi linapokelewa lakini jibu ni 500, kisha inalipa'], [pays()], {
    create: 'fails-after',
  }),
  '209': row(['the create hangs, is accepted, then pays', 'ombi linakwama, linapokelewa, kisha inalipa'], [pays()], {
    create: 'hang',
  }),
  '219': row(['PAY_001 once, then accepted and pays', 'PAY_001 mara moja, kisha ombi linapokelewa na inalipa'], [pays()], {
    create: 'pay001-once',
  }),
  '229': row(['PAY_001 always', 'PAY_001 kila mara'], [], { create: 'pay001' }),
  '239': row(['429 always', '429 kila mara'], [], { create: 'rate-limited' }),
  '249': row(['pays, webhook with a bad signature', 'inalipa, webhook yenye saini isiyo sahihi'], [pays()], {
    flaw: 'bad-signature',
  }),
  '259': row(
    [
      'pays, webhook with an old timestamp that no retry renews',
      'inalipa, webhook yenye wakati wa zamani usiobadilika ikitumwa tena',
    ],
    [pays()],
    { flaw: 'old-timestamp' },
  ),
  '269': row(['expires, then pays', 'muda unaisha, kisha inalipa'], [pays()], { starts: 'at-expiry' }),
  '279': row(['voided', 'imebatilishwa'], [{ kind: 'move', to: 'voided', copies: 1 }]),
  '289': row(
    ['accepted but answered with half a document, then pays', 'ombi linapokelewa lakini jibu ni nusu, kisha inalipa'],
    [pays()],
    { create: 'malformed' },
  ),
  '299': row(['INT_003 always', 'INT_003 kila mara'], [], { create: 'unreachable' }),
  // The same numbers decide what happens to money that is sent back to their payers.
  '419': row(['pays', 'inalipa'], [pays()]),
  '429': row(['pays', 'inalipa'], [pays()]),
  '439': row(['pays', 'inalipa'], [pays()]),
  '449': row(['pays', 'inalipa'], [pays()]),
  '459': row(['pays', 'inalipa'], [pays()]),
  '469': row(['pays', 'inalipa'], [pays()]),
}

/** `completed` after `failed` is a payout that is paid later. */
type PayoutStep = { to: 'completed' | 'failed' | 'reversed'; reason?: string }

export type PayoutScenario = {
  about: string
  steps: readonly PayoutStep[]
  /** Refused at the create as if the account were empty. */
  insufficientBalance: boolean
  create: CreateFault | null
  flaw: WebhookFlaw | null
  /** How many copies of each event are sent at once; 0 never sends it. */
  copies: number
}

const payoutRow = (about: string, steps: readonly PayoutStep[], more: Partial<PayoutScenario> = {}): PayoutScenario => ({
  about,
  steps,
  insufficientBalance: false,
  create: null,
  flaw: null,
  copies: 1,
  ...more,
})

const arrives: PayoutStep = { to: 'completed' }

/** Fault numbers that do not depend on the direction of the money mean the same here as for a charge. */
export const payoutScenarios: Readonly<Record<string, PayoutScenario>> = {
  '089': payoutRow('recipient not found', [{ to: 'failed', reason: failureWords.recipientNotFound }]),
  '119': payoutRow('other error', [{ to: 'failed', reason: failureWords.unspecified }]),
  '129': payoutRow('silence: stays pending', [], { copies: 0 }),
  '139': payoutRow('arrives, webhook never sent', [arrives], { copies: 0 }),
  '159': payoutRow('arrives, webhook three times with one id', [arrives], { copies: 3 }),
  '199': payoutRow('accepted but answered with 500, then arrives', [arrives], { create: 'fails-after' }),
  '209': payoutRow('the create hangs, is accepted, then arrives', [arrives], { create: 'hang' }),
  '219': payoutRow('PAY_001 once, then accepted and arrives', [arrives], { create: 'pay001-once' }),
  '229': payoutRow('PAY_001 always', [], { create: 'pay001' }),
  '239': payoutRow('429 always', [], { create: 'rate-limited' }),
  '249': payoutRow('arrives, webhook with a bad signature', [arrives], { flaw: 'bad-signature' }),
  '259': payoutRow('arrives, webhook with an old timestamp that no retry renews', [arrives], { flaw: 'old-timestamp' }),
  '289': payoutRow('accepted but answered with half a document, then arrives', [arrives], { create: 'malformed' }),
  '299': payoutRow('INT_003 always', [], { create: 'unreachable' }),
  '309': payoutRow('completed, then reversed', [arrives, { to: 'reversed' }]),
  '319': payoutRow('insufficient balance', [], { insufficientBalance: true }),
  '329': payoutRow('fails, then arrives after all', [{ to: 'failed', reason: failureWords.unspecified }, arrives]),
  '419': payoutRow('recipient not found', [{ to: 'failed', reason: failureWords.recipientNotFound }]),
  '429': payoutRow('other error', [{ to: 'failed', reason: failureWords.unspecified }]),
  '439': payoutRow('silence: stays pending', [], { copies: 0 }),
  '449': payoutRow('completed, then reversed', [arrives, { to: 'reversed' }]),
  '459': payoutRow('insufficient balance', [], { insufficientBalance: true }),
  '469': payoutRow('fails, then arrives after all', [{ to: 'failed', reason: failureWords.unspecified }, arrives]),
}

export const ordinaryPayout: PayoutScenario = payoutRow('arrives', [arrives])
