/** An approval rule in one or two sentences. */
import type { ApprovalRule } from '../../api/operations.ts'
import { money } from '../../ui/format.ts'
import type { approvalsTexts } from './texts.ts'

type Rule = Pick<NonNullable<ApprovalRule['rule']>, 'above' | 'above_total' | 'approvers'>

export function ruleSentence(say: ReturnType<typeof approvalsTexts.use>, rule: Rule | null): string {
  if (rule === null) return say('rule.none')
  if (rule.above === 0) return say('rule.all', { count: rule.approvers })
  const ofOne = say('rule.above', { count: rule.approvers, amount: money(rule.above) })
  if (rule.above_total === null) return ofOne
  return `${ofOne} ${say('rule.total', { amount: money(rule.above_total) })}`
}
