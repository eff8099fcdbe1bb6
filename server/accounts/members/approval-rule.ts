/**
 * The approval rule of a wallet: payouts, refunds and batches above an amount wait until other members have approved them. Invariant:
 * each requester finds enough other people who may approve, so nothing waits for a person who does not exist.
 */
import { z } from 'zod'
import type { Environment } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { Runner } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { countApprovers, strictestRuleOf } from './approval-rule.sql.ts'
import { isAllowed, rolesWith } from './permissions.ts'

/**
 * What would lift the sum of a day to one recipient above `above` TZS, or the sum of the wallet's day above `aboveTotal`, leaves only after
 * `approvers` other people have approved it. No `aboveTotal`: the day has no limit.
 */
export type ApprovalRule = { above: number; aboveTotal: number | null; approvers: 1 | 2 }

/** The limit of the day of a new rule that names none. */
export const aboveTotalOf = (above: number): number => 5 * above

export const ruleFields = {
  above: z.int().min(0).max(1_000_000_000).meta({
    description:
      'TZS without the fee. What lifts the sum of the day (East Africa Time) to one recipient above this waits, and so does a batch above it; 0: every amount.',
    example: 100_000,
  }),
  above_total: z.int().min(0).max(5_000_000_000).nullable().meta({
    description: 'TZS. What lifts the sum of the wallet’s day above this waits, too. Null: the day has no limit.',
    example: 500_000,
  }),
  approvers: z.union([z.literal(1), z.literal(2)]).meta({ description: 'How many other people must approve.' }),
}

type RuleJson = { above: number; above_total: number | null; approvers: 1 | 2 }

export const ruleToJson = ({ above, aboveTotal, approvers }: ApprovalRule): RuleJson => ({
  above,
  above_total: aboveTotal,
  approvers,
})

/** How long something waits for approval. */
export const approvalHours = 72

/** Whether the change lets money leave with fewer approvals than before. Undefined: no rule any more. */
export function isLoosening(before: ApprovalRule, after: ApprovalRule | undefined): boolean {
  if (after === undefined || after.above > before.above || after.approvers < before.approvers) return true
  return before.aboveTotal !== null && (after.aboveTotal === null || after.aboveTotal > before.aboveTotal)
}

/** The roles that may approve; it is the same in both environments. */
export const approvingRoles = (environment: Environment) => rolesWith('payouts.approve', environment)
export const mayApprove = (role: MemberRole): boolean => isAllowed(role, 'payouts.approve', 'live')

/** 409 `approvers_missing`. */
export const approversMissing = (message: string, messageSw: string, needed: number, available: number): Refusal =>
  new Refusal(409, 'approvers_missing', message, { details: { needed, available }, messageSw })

/** What to do before a person may leave too few, in both languages. */
export type WayOut = readonly [english: string, swahili: string]

const invite: WayOut = ['Invite an approver first.', 'Alika mwingine kwanza.']

/** The rule may ask the very person who is to leave about the next approver. */
export const replaceThem: WayOut = [
  'Invite another approver first. If that invitation waits for this member under Approvals, and they do not approve it, contact us.',
  'Alika mwidhinishaji mwingine kwanza. Mwaliko ukisubiri idhini ya mwanachama huyu, naye asipouidhinisha, wasiliana nasi.',
]
export const replaceYourself: WayOut = [
  'Before you leave, an owner or admin must invite another approver. If that invitation waits for you under Approvals, approve it.',
  'Kabla hujaondoka, mmiliki au meneja amwalike mwidhinishaji mwingine. Mwaliko ukisubiri idhini yako, uidhinishe.',
]

/**
 * Refuses with 409 `approvers_missing` a rule, or a state of the members, in which someone could request what too few others may approve.
 * Without `rule`: the strictest rule of the merchant's wallets.
 */
export async function requireEnoughApprovers(
  runner: Runner,
  merchant: { id: string; home: number },
  { rule, way = invite }: { rule?: ApprovalRule; way?: WayOut } = {},
): Promise<void> {
  const needed = rule?.approvers ?? (await strictestRuleOf(runner, merchant))
  if (needed === undefined) return
  const available = await countApprovers(runner, merchant.id, approvingRoles('live'))
  // Approvers may request, too, and no one approves their own request.
  if (available - 1 >= needed) return
  throw approversMissing(
    `The approval rule needs ${needed + 1} people who may approve, because no one approves their own request. There would be ${available}. ${way[0]}`,
    `Hakuna anayeidhinisha ombi lake mwenyewe, kwa hiyo kanuni hii inahitaji watu ${needed + 1} wanaoweza kuidhinisha. Wangekuwa ${available}. ${way[1]}`,
    needed + 1,
    available,
  )
}

/** Refuses with 409 `approvers_missing` a batch that fewer members could approve than must, without its maker and who changed it. */
export async function requireOtherApprovers(
  runner: Runner,
  merchant: { id: string },
  makers: readonly string[],
  needed: number | undefined,
): Promise<void> {
  const available = await countApprovers(runner, merchant.id, approvingRoles('live'), makers)
  if (available >= (needed ?? 1)) return
  if (needed === undefined)
    throw approversMissing(
      'No other member could approve this. Approve it yourself with your sign-in, or invite an approver.',
      'Hakuna mwanachama mwingine anayeweza kuidhinisha hili. Liidhinishe mwenyewe ukiwa umeingia, au alika mwingine.',
      1,
      0,
    )
  throw approversMissing(
    `Approvals needed for this batch: ${needed}. Members who may give one, and neither made nor changed it: ${available}. Delete it and let one person upload the corrected file, or invite an approver.`,
    `Idhini zinazohitajika kwa orodha hii: ${needed}. Wanaoweza kuidhinisha ambao hawakuitengeneza wala kuibadilisha: ${available}. Ifute, kisha mtu mmoja apakie faili lililosahihishwa; au alika mwidhinishaji.`,
    needed,
    available,
  )
}
