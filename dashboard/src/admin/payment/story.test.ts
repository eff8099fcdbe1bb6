import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storyOf as tell } from './story.ts'

type Payment = Parameters<typeof tell>[0]

const storyOf = (payment: Payment, language: 'en' | 'sw'): string[] =>
  tell(payment, language, {
    money: (amount) => `TSh ${amount.toLocaleString('en')}`,
    moment: (at) =>
      `${language === 'en' ? 'at' : 'tarehe'} ${new Date(Date.parse(at) + 3 * 3_600_000).toISOString().slice(11, 16)}`,
  })

const transfer = (
  kind: Payment['transfers'][number]['kind'],
  created_at = '2026-11-24T11:03:00.000Z',
): Payment['transfers'][number] => ({
  id: 'txn_1',
  kind,
  debit: 'provider_clearing',
  credit: 'wallet',
  amount: 5000,
  actor: 'system',
  request_id: 'req_1',
  created_at,
})

const charge: Payment['charge'] = {
  provider: 'clickpesa',
  provider_reference: 'CP1',
  state: 'accepted',
  checks: 0,
  next_check_at: null,
  last_heard_at: '2026-11-24T11:02:30.000Z',
  prompts_resent: 0,
  last_resent_at: null,
}

const paid: Payment = {
  status: 'completed',
  amount: 5000,
  created_at: '2026-11-24T11:02:00.000Z',
  completed_at: '2026-11-24T11:03:00.000Z',
  late: false,
  under_review: false,
  network_receipt: 'CK12AB34XY',
  failure_code: null,
  charge,
  messages: [{ received_at: '2026-11-24T11:02:30.000Z', status: 'completed', amount: 5000 }],
  transfers: [transfer('payment'), transfer('provider_fee')],
  breaks: [],
  refunds: [],
  cancel_requested_at: null,
  support_cases: [],
}

test('a paid payment is told from the request to the credit, in both languages', () => {
  const english = storyOf(paid, 'en').join(' ')
  assert.match(english, /^The payer asked to pay TSh 5,000 at .*14:02\. We sent it to ClickPesa, which accepted it\./)
  assert.match(english, /ClickPesa reported at .*14:02: the payer has paid, TSh 5,000\./)
  assert.match(english, /CK12AB34XY\. The wallet was credited once, at .*14:03, with TSh 5,000\.$/)
  const swahili = storyOf(paid, 'sw').join(' ')
  assert.match(swahili, /^Mlipaji aliomba kulipa TSh 5,000 tarehe .*14:02\./)
  assert.match(swahili, /Pochi iliwekewa mara moja, tarehe .*14:03, TSh 5,000\.$/)
})

test('an unknown outcome is named as unknown, and no end is claimed', () => {
  const open: Payment = { ...paid, status: 'processing', network_receipt: null, messages: [], transfers: [], completed_at: null }
  for (const state of ['unknown', 'claimed'] as const) {
    const told = storyOf({ ...open, charge: { ...charge, state, checks: 3 } }, 'en').join(' ')
    assert.match(told, /We do not know whether/)
    assert.match(told, /We asked ClickPesa about it 3 times\./)
    assert.match(told, /Its outcome is unknown\. The payer may have paid\./)
    assert.doesNotMatch(told, /credited|ended as failed|No money/)
  }
  const swahili = storyOf({ ...open, charge: { ...charge, state: 'unknown' } }, 'sw').join(' ')
  assert.match(swahili, /Matokeo yake hayajulikani/)
})

test('a charge that the provider accepted waits for its payer; one that was refused took no money', () => {
  const open: Payment = { ...paid, status: 'processing', messages: [], transfers: [], network_receipt: null }
  assert.equal(storyOf(open, 'en').at(-1), 'The payer has not confirmed it yet, as far as we know.')
  const refused: Payment = { ...open, status: 'failed', failure_code: 'payer_limit', charge: { ...charge, state: 'rejected' } }
  const told = storyOf(refused, 'en').join(' ')
  assert.match(
    told,
    /ClickPesa refused it\. No money was taken\. The payment ended as failed\. The reason: the number has reached its mobile money limit\./,
  )
  assert.match(told, /No credit of the wallet is in the books\.$/)
})

test('a reason and a movement of the books are told in words, never as codes', () => {
  const transfers = [transfer('suspense'), transfer('suspense_release')]
  for (const failure_code of ['wrong_pin', 'provider_error']) {
    for (const language of ['en', 'sw'] as const) {
      const told = storyOf({ ...paid, status: 'failed', failure_code, transfers, messages: [] }, language).join(' ')
      assert.doesNotMatch(told, /[a-z]_[a-z]/)
    }
  }
  const moved = storyOf({ ...paid, transfers: [...transfers, transfer('payment')] }, 'sw').join(' ')
  assert.match(moved, /Vitabu vilisogeza TSh 5,000 tarehe 14:03: Imetoka pembeni hadi kwenye pochi\./)
})

test('a payment that was paid after an unknown outcome is not told as unknown', () => {
  const told = storyOf({ ...paid, charge: { ...charge, state: 'unknown' } }, 'en').join(' ')
  assert.match(told, /We sent it to ClickPesa\. /)
  assert.doesNotMatch(told, /do not know|unknown/)
})

test('money in suspense, a second credit and a late success are told', () => {
  const held: Payment = { ...paid, status: 'processing', under_review: true, transfers: [transfer('suspense')] }
  assert.match(storyOf(held, 'en').join(' '), /TSh 5,000 went into suspense at .*: the wallet was not credited with it\./)
  const doubled: Payment = { ...paid, transfers: [transfer('payment'), transfer('payment')] }
  assert.match(storyOf(doubled, 'en').join(' '), /credited 2 times\. That must never happen/)
  assert.match(storyOf({ ...paid, late: true }, 'en').join(' '), /The success arrived after we had recorded another end\./)
})

test('a refund says whether it was paid', () => {
  const refund = { id: 'rf_1', payout_id: 'po_1', amount: 2000, fee: 0, created_at: '2026-11-24T12:00:00.000Z' }
  const told = (status: Payment['refunds'][number]['status']) =>
    storyOf({ ...paid, refunds: [{ ...refund, status }] }, 'en').at(-1)!
  assert.match(told('completed'), /^A refund of TSh 2,000 was requested at .*15:00 and paid\.$/)
  assert.match(told('processing'), /It has not ended yet\.$/)
  assert.match(told('failed'), /It was not paid\.$/)
})

test('two refunds of one minute are both told; a message that arrived twice is told once', () => {
  const refund = {
    id: 'rf_1',
    payout_id: 'po_1',
    amount: 2000,
    fee: 0,
    status: 'completed',
    created_at: '2026-11-24T12:00:00.000Z',
  }
  const twice: Payment = {
    ...paid,
    messages: [...paid.messages, ...paid.messages],
    refunds: [refund, { ...refund, id: 'rf_2' }] as never,
  }
  const told = storyOf(twice, 'en')
  assert.equal(told.filter((sentence) => sentence.startsWith('A refund of TSh 2,000')).length, 2)
  assert.equal(told.filter((sentence) => sentence.startsWith('ClickPesa reported')).length, 1)
})

test('what the payer did is told: asking for the prompt again, cancelling, and reporting that money was taken', () => {
  const asked: Payment = {
    ...paid,
    charge: { ...charge, prompts_resent: 2, last_resent_at: '2026-11-24T11:02:20.000Z' },
    cancel_requested_at: '2026-11-24T11:02:25.000Z',
  }
  assert.match(
    storyOf(asked, 'en').join(' '),
    /which accepted it\. The payer asked for the prompt again 2 times, last at 14:02\. The payer asked to cancel it at 14:02\./,
  )
  const reported = { id: 'case_1', finding: null, decision: null, decided_at: null, created_at: '2026-11-24T13:00:00.000Z' }
  const closing = (one: Partial<Payment['support_cases'][number]>, language: 'en' | 'sw' = 'en') =>
    storyOf({ ...paid, support_cases: [{ ...reported, state: 'open', ...one }] }, language)
      .slice(-2)
      .join(' ')
  assert.equal(closing({}), 'The payer reported at 16:00 that money was taken. We are asking the provider about the report.')
  assert.match(closing({ state: 'answered', finding: 'no_money' }), /We answered the payer: no money was taken\.$/)
  assert.match(closing({ state: 'with_operators', finding: 'received' }), /The report waits for an operator\.$/)
  const decided = { state: 'closed', decision: 'received', decided_at: '2026-11-24T14:00:00.000Z' } as const
  assert.match(closing(decided), /An operator answered the payer at 17:00: the payment was received\.$/)
  assert.match(closing(decided, 'sw'), /Msimamizi alimjibu mlipaji tarehe 17:00: malipo yamepokelewa\.$/)
})
