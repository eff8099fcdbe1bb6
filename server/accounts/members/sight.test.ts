import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { answerOf } from '../../platform/http/answer.ts'
import { guarded, shown, sightOf } from './sight.ts'

const schema = z.object({ title: z.string(), paid_total: guarded('PaymentPage.paid_total', z.int(), 'TZS.') })
const row = { title: 'Mandazi', paidTotal: 7_500 }

test('a guarded field is null for a caller without its permissions', () => {
  const seen = (sight: ReturnType<typeof sightOf>) =>
    answerOf(schema, row, { paid_total: shown(sight, 'PaymentPage.paid_total', row.paidTotal) }).paid_total
  equal(seen(sightOf(['wallet.read'])), 7_500)
  equal(seen(sightOf(['pages.read'])), null)
})

test('the compiler accepts a guarded field only from shown, also where the row has the same property', () => {
  const sight = sightOf([])
  // @ts-expect-error -- the row has the property, but a guarded field is never copied
  answerOf(schema, row, {})
  // @ts-expect-error -- the value did not go through `shown`
  answerOf(schema, row, { paid_total: row.paidTotal })
  // @ts-expect-error -- shown as another field, which other callers see
  answerOf(schema, row, { paid_total: shown(sight, 'insufficient_balance.available', row.paidTotal) })
  // @ts-expect-error -- the same holds for an answer that is written by hand
  const byHand: z.infer<typeof schema> = { title: row.title, paid_total: row.paidTotal }
  equal(byHand.paid_total, 7_500)
})
