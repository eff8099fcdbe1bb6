/**
 * Asks the providers about the cases that are due, and answers those for which there is a proof. Invariants: no case is answered without
 * a proof of `payments`, every answer of a provider is kept as evidence, and regular traffic goes first in a provider's budget.
 */
import type { Config } from '../../config/config.ts'
import type { CaseReason, LateState } from '../../domain/support-case.ts'
import { enqueueMail, isMailAddress } from '../../base/mail/mail.ts'
import { askCharge, type AskChargeDeps, type AskedCharge } from '../payments/ask-charge.ts'
import { findReceiptOwner } from '../payments/ask-charge.sql.ts'
import { lettersOf } from '../payments/receipt-parts.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { assert } from '../../platform/refusal.ts'
import { caseMail, newsOf } from './case-mail.ts'
import {
  claimDueCases,
  lockPaidSince,
  moveCase,
  postponeQuestion,
  recordAnswer,
  recordLateSuccess,
  type CaseAnswer,
  type CaseMove,
  type DueCase,
  type LookedAt,
} from './support-case.sql.ts'
import { conclude, publicCaseOf, type Conclusion, type SupportCase } from './support-case.ts'

export type CaseMailDeps = { sealer: Sealer; config: Pick<Config, 'urls' | 'support'> }

export type AskProvidersDeps = AskChargeDeps &
  CaseMailDeps & { db: Db; log: Log; config: Pick<Config, 'payments' | 'urls' | 'support'> }

/** Longer than one call of a provider. */
const leaseSeconds = 60

/** Writes the mail of a changed case, if its payer learns something new and gave an address. */
export async function mailChange(deps: CaseMailDeps, tx: Tx, before: SupportCase, after: SupportCase): Promise<void> {
  const { email, payerLanguage, environment } = after
  const news = newsOf(publicCaseOf(before), publicCaseOf(after))
  if (email === null || !isMailAddress(email) || news === undefined) return
  const link = `${deps.config.urls.checkout}/c/${toWire('case', after.id)}`
  const mail = caseMail({ payerLanguage, to: email, isTest: environment === 'test', link }, news, deps.config.support)
  await enqueueMail(deps, tx, mail)
}

function evidenceOf({ answer, provider }: AskedCharge): CaseAnswer {
  const nothing = { reason: null, provider, providerReference: null, providerStatus: null, amount: null, networkReceipt: null }
  if (answer === undefined) return { ...nothing, answer: 'not_asked' }
  if (answer.kind === 'not_found') return { ...nothing, answer: 'not_found' }
  if (answer.kind === 'indeterminate') return { ...nothing, answer: 'indeterminate', reason: answer.reason.slice(0, 200) }
  const { reference, status, amount, networkReceipt = null } = answer.snapshot
  return { ...nothing, answer: 'found', providerReference: reference, providerStatus: status, amount, networkReceipt }
}

type Learnt = Pick<CaseMove, 'numberOwnerId' | 'isProven'>

function moveOf(one: DueCase, conclusion: Exclude<Conclusion, { kind: 'postponed' }>, learnt: Learnt): CaseMove {
  const { home, id, questions } = one
  const move = { home, id, questions, ...learnt }
  switch (conclusion.kind) {
    case 'answered':
      return { ...move, toState: 'answered', finding: conclusion.finding, because: null, nextSeconds: null }
    case 'with_operators': {
      const { because, finding, nextSeconds } = conclusion
      return { ...move, toState: 'with_operators', finding, because, nextSeconds }
    }
    case 'ask_again':
      return { ...move, toState: one.state, finding: null, because: null, nextSeconds: conclusion.nextSeconds }
  }
}

async function askAbout(deps: AskProvidersDeps, one: DueCase): Promise<void> {
  const [asked, owner] = await Promise.all([
    // Once operators have it, no payer waits for the machine.
    askCharge(deps, { home: one.home, id: one.paymentId }, one.state === 'with_operators' ? 'last' : 'case'),
    one.smsNumber === null ? undefined : findReceiptOwner(deps.db, one.environment, one.smsNumber),
  ])
  assert(asked, 'the payment of a case exists')
  const isOfAnother = owner !== undefined && owner.id !== one.paymentId
  const { truth, networkReceipt } = asked
  const conclusion = conclude(one, { truth, networkReceipt, isOfAnother })
  if (conclusion.kind === 'postponed') return postponeQuestion(deps.db, one, conclusion.nextSeconds)
  const isProven = networkReceipt !== null && lettersOf(networkReceipt) === one.smsNumber
  const move = moveOf(one, conclusion, { numberOwnerId: isOfAnother ? owner.id : null, isProven })
  const isMoved = await deps.db.tx(async (tx) => {
    if (!(await moveCase(tx, move))) return false
    await recordAnswer(tx, one, one.questions, evidenceOf(asked))
    const after = {
      ...one,
      state: move.toState,
      finding: move.finding ?? one.finding,
      escalatedBecause: move.because ?? one.escalatedBecause,
    }
    await mailChange(deps, tx, one, after)
    return true
  })
  if (!isMoved || move.toState === 'asking') return
  const fields = {
    case_id: toWire('case', one.id),
    payment_id: toWire('pay', one.paymentId),
    seconds: Math.round(one.ageSeconds),
  }
  if (move.toState === 'answered') deps.log.info('case.answered', { ...fields, finding: move.finding })
  else deps.log.info('case.escalated', { ...fields, reason: move.because })
}

/** After an error, which may happen again with every question: operators get the case at the same age as one without an answer. */
async function handOver(deps: AskProvidersDeps, one: DueCase): Promise<void> {
  const conclusion = conclude(one, { truth: { kind: 'no_answer' }, networkReceipt: null, isOfAnother: false })
  if (conclusion.kind !== 'with_operators' || one.state === 'with_operators') return
  const move = moveOf(one, conclusion, { numberOwnerId: null, isProven: false })
  const isMoved = await deps.db.tx(async (tx) => {
    if (!(await moveCase(tx, move))) return false
    await mailChange(deps, tx, one, { ...one, state: move.toState, escalatedBecause: move.because })
    return true
  })
  if (isMoved) deps.log.info('case.escalated', { case_id: toWire('case', one.id), reason: move.because })
}

/** Claims the cases that are due and asks about each. Returns how many it claimed. */
export async function askProviders(deps: AskProvidersDeps, limit: number): Promise<number> {
  const due = await claimDueCases(deps.db, limit, leaseSeconds)
  await Promise.all(
    due.map((one) =>
      askAbout(deps, one).catch(async (error: unknown) => {
        deps.log.error('case.question_failed', error, { case_id: toWire('case', one.id) })
        await handOver(deps, one)
      }),
    ),
  )
  return due.length
}

/**
 * What follows from a late credit: the same as from a credit in the first answer, whatever the state of the case. Operators have a case
 * whose number is that of another payment, and its payer sees it as answered: a credit must not tell the two apart.
 */
function lateMoveOf(one: Omit<LookedAt, 'isPaid'>): { toState: LateState; because: CaseReason | null } {
  const learned = {
    truth: { kind: 'received' },
    networkReceipt: one.networkReceipt,
    isOfAnother: one.numberOwnerId !== null,
  } as const
  const conclusion = conclude({ ...one, ageSeconds: 0 }, learned)
  assert(conclusion.kind === 'answered' || conclusion.kind === 'with_operators', 'a credit is an answer')
  return conclusion.kind === 'answered'
    ? { toState: 'answered', because: null }
    : { toState: 'with_operators', because: conclusion.because }
}

/** Tells payers whose payment was credited after their last answer. Returns at how many cases it looked. */
export async function answerPaidSince(deps: AskProvidersDeps, limit: number): Promise<number> {
  return deps.db.tx(async (tx) => {
    const looked = await lockPaidSince(tx, limit)
    for (const { isPaid, ...one } of looked) {
      if (!isPaid) continue
      const move = lateMoveOf(one)
      await recordLateSuccess(tx, one, move)
      const after = { ...one, state: move.toState, finding: 'received' as const }
      await mailChange(deps, tx, one, { ...after, escalatedBecause: move.because ?? one.escalatedBecause })
    }
    return looked.length
  })
}
