/** An approval rule as one sentence. */
import type { ApprovalRule } from '../../api/operations.ts'
import type { Language } from '../../i18n/language.ts'
import { money } from '../../ui/format.ts'
import type { approvalsTexts } from './texts.ts'

type Rule = Pick<NonNullable<ApprovalRule['rule']>, 'above' | 'approvers'>

export function ruleSentence(say: ReturnType<typeof approvalsTexts.use>, language: Language, rule: Rule | null): string {
  if (rule === null) return say('rule.none')
  if (rule.above === 0) return say('rule.all', { count: rule.approvers })
  return say('rule.above', { count: rule.approvers, amount: money(rule.above, language) })
}
