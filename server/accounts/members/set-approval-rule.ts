/**
 * Sets, changes and removes the approval rule of a wallet. Invariant: a change that lets money leave with fewer approvals happens only after
 * others have approved it under the old rule.
 */
import type { ApprovalMailDeps } from './approval-mails.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { refuseWaitingAccount } from '../identity/account-wait.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { lockMerchant } from '../identity/merchant.sql.ts'
import type { Owner } from '../identity/merchant.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { violates, type Db, type Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { assert, invalidState } from '../../platform/refusal.ts'
import { confirmAccess } from './access.ts'
import { isLoosening, requireEnoughApprovers, ruleToJson, type ApprovalRule } from './approval-rule.ts'
import { deleteRule, findRule, saveRule } from './approval-rule.sql.ts'
import { followStricterRule, type ApprovalRequest } from './approval.sql.ts'
import { askApproval } from './ask-approval.ts'
import { tellOwners } from './mail-owners.ts'
import type { PowerWaitDeps } from './new-power.ts'

type Deps = ApprovalMailDeps & PowerWaitDeps & { db: Db }

const factsOf = (rule: ApprovalRule | undefined): Record<string, number | null> =>
  rule === undefined ? { approvers: 0 } : ruleToJson(rule)

/** Applies a rule, or removes it. The merchant is locked, so that its members do not change meanwhile. */
async function apply(
  deps: { sealer: Sealer },
  tx: Tx,
  owner: Owner,
  rule: ApprovalRule | undefined,
  by: { userId: string; origin: Origin },
): Promise<void> {
  const before = await findRule(tx, owner)
  if (rule === undefined) await deleteRule(tx, owner)
  else {
    await requireEnoughApprovers(tx, owner.merchant, { rule })
    await saveRule(tx, owner, rule, by.userId)
  }
  if (owner.environment === 'live') {
    await tellOwners(deps, tx, owner.merchant.id, {
      sw: 'Kanuni ya idhini ya fedha zinazotoka imebadilishwa. Iangalie kwenye dashibodi, chini ya Idhini.',
      en: 'The approval rule for money that leaves was changed. See Approvals in the dashboard.',
    })
  }
  await appendAudit(tx, by.origin, {
    action: rule === undefined ? 'approval_rule.removed' : 'approval_rule.set',
    object: toWire('biz', owner.merchant.id),
    merchantId: owner.merchant.id,
    before: factsOf(before),
    after: { ...factsOf(rule), environment: owner.environment },
  })
}

/**
 * Sets a rule, or removes it (`undefined`). A tighter rule holds at once; a looser one waits for approval under the old rule, and the
 * answer is `waits`. Refuses with 409 `approvers_missing`, with 409 `invalid_state` while another change waits, and with 409
 * `payout_must_wait` a looser rule of a person whose account may have been taken over: an insider could approve it.
 */
export async function setApprovalRule(
  deps: Deps,
  owner: Owner,
  rule: ApprovalRule | undefined,
  who: WhoActs,
  origin: Origin,
): Promise<'set' | 'waits'> {
  try {
    return await deps.db.tx(async (tx) => {
      await lockMerchant(tx, owner.merchant.id)
      await confirmAccess(tx, who, owner, 'rules.write')
      const before = await findRule(tx, owner)
      if (before === undefined && rule === undefined)
        throw invalidState('This wallet has no approval rule.', 'Pochi hii haina kanuni ya idhini.')
      if (before === undefined || !isLoosening(before, rule)) {
        if (rule) await followStricterRule(tx, owner, rule)
        await apply(deps, tx, owner, rule, { userId: who.userId, origin })
        return 'set'
      }
      await refuseWaitingAccount({ ...deps, db: tx }, owner.environment, who, 'ask for a looser rule')
      if (rule) await requireEnoughApprovers(tx, owner.merchant, { rule })
      const id = newMoneyId(owner.merchant.home)
      const wanted = {
        id,
        wireId: toWire('arc', id),
        kind: 'rule_change',
        amount: null,
        approvers: before.approvers,
        newRule: rule ?? null,
      } as const
      await askApproval(deps, tx, owner, wanted, { ...origin, userId: who.userId, isPerson: true })
      return 'waits'
    })
  } catch (error) {
    if (!violates(error, 'approval_requests_one_rule_change')) throw error
    throw invalidState(
      'Another change of this rule waits for approval. Decide on it first.',
      'Badiliko jingine la kanuni hii linasubiri idhini. Liamueni kwanza.',
    )
  }
}

/** Applies a change that was approved, in the transaction of the last approval. */
export async function applyRuleChange(
  deps: { sealer: Sealer },
  tx: Tx,
  owner: Owner,
  request: ApprovalRequest,
  by: { userId: string; origin: Origin },
): Promise<void> {
  assert(request.kind === 'rule_change', 'a change of the rule')
  const { newAbove: above, newAboveTotal: aboveTotal, newApprovers: approvers } = request
  await apply(deps, tx, owner, above === null || approvers === null ? undefined : { above, aboveTotal, approvers }, by)
}
