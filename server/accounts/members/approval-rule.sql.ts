/** The only statements on `approval_rules`, and the members that count for them. */
import type { MemberRole } from '../../domain/member.ts'
import type { Owner } from '../identity/merchant.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import type { ApprovalRule } from './approval-rule.ts'

/** `asksTotal`: it is older than the limit of the day, and no one has decided about that yet. */
export type StoredRule = ApprovalRule & { asksTotal: boolean; setAt: Date; setBy: string }

const ruleOf = ({ merchant, environment }: Owner): Sql => sql`
  select above, above_total, approvers, asks_total, set_at, set_by from approval_rules
  where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment}`

export async function findRule(db: Runner, owner: Owner): Promise<StoredRule | undefined> {
  return db.maybeOne<StoredRule>(ruleOf(owner))
}

/** Locks the rule until the transaction ends: what counts for its sums is stored one after the other. */
export async function lockRule(tx: Tx, owner: Owner): Promise<StoredRule | undefined> {
  return tx.maybeOne<StoredRule>(sql`${ruleOf(owner)} for no key update`)
}

/** The largest number of approvers that a rule of the merchant needs; undefined: it has no rule. */
export async function strictestRuleOf(db: Runner, merchant: { id: string; home: number }): Promise<number | undefined> {
  const [row] = await db.rows<{ approvers: number | null }>(sql`
    select max(approvers) as approvers from approval_rules where home = ${merchant.home} and merchant_id = ${merchant.id}`)
  return row!.approvers ?? undefined
}

/** How many active members have one of these roles, other than these people. A disabled person cannot sign in, so nothing waits for them. */
export async function countApprovers(
  db: Runner,
  merchantId: string,
  roles: MemberRole[],
  except: readonly string[] = [],
): Promise<number> {
  return db.value<number>(sql`
    select count(*) as count from members x join users u on u.id = x.user_id
    where x.merchant_id = ${merchantId} and x.removed_at is null and u.disabled_at is null and x.role = any(${roles}::text[])
      and x.user_id <> all(${[...except]}::uuid[])`)
}

export async function saveRule(tx: Tx, { merchant, environment }: Owner, rule: ApprovalRule, userId: string): Promise<void> {
  await tx.rows(sql`
    insert into approval_rules (home, merchant_id, environment, above, above_total, approvers, asks_total, set_by)
    values (${merchant.home}, ${merchant.id}, ${environment}, ${rule.above}, ${rule.aboveTotal}, ${rule.approvers}, false, ${userId})
    on conflict (home, merchant_id, environment) do update
    set above = excluded.above, above_total = excluded.above_total, approvers = excluded.approvers, asks_total = false,
      set_by = excluded.set_by, set_at = clock_now()`)
}

/** The merchants of live rules that are older than the limit of the day, each once: from now on they have been asked. */
export async function takeUnasked(tx: Tx, limit: number): Promise<{ merchantId: string }[]> {
  return tx.rows<{ merchantId: string }>(sql`
    update approval_rules r set total_asked_at = clock_now() from (
      select home, merchant_id, environment from approval_rules
      where environment = 'live' and asks_total and total_asked_at is null
      limit ${limit} for no key update skip locked) u
    where r.home = u.home and r.merchant_id = u.merchant_id and r.environment = u.environment returning r.merchant_id`)
}

export async function deleteRule(tx: Tx, { merchant, environment }: Owner): Promise<void> {
  await tx.rows(sql`
    delete from approval_rules where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment}`)
}
