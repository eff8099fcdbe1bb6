/** The payer's form: its values and its errors. Pure; the payments slice has the rules for phone and amount. */
import { z } from 'zod'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { readAmount, readPayerPhone } from '../../../collect/payments/checkout-rules.ts'
import { checkoutBody } from '../../../collect/payments/routes.ts'
import type { CheckoutRequest } from '../../../collect/payments/start-checkout.ts'
import { amountTyped, textTyped } from '../../../domain/typed.ts'
import type { Refusal } from '../../../platform/refusal.ts'
import { customTypedOf, readCustomTyped, type CustomTyped } from './custom-fields.ts'
import { readFields } from './form-body.ts'
import { isErrorCode, type ErrorCode } from './messages.ts'

export const fieldNames = ['amount', 'phone_number', 'network', 'customer_name', 'customer_email'] as const

export type FieldName = (typeof fieldNames)[number]

/** The exact input, so that it can be shown again. */
export type Typed = Record<FieldName, string>

export type SentForm = {
  typed: Typed
  custom: CustomTyped
  idempotencyKey: string
  language: string
  /** Earlier payments of this browser that the form reported as paid. */
  seen: string[]
  /** The proof from the button that confirms a payment. */
  proof: string
}

/** A problem of one field, or of the whole form. `waitSeconds`: after how long the same may succeed, if the refusal said it. */
export type Problem = { field: FieldName | null; code: ErrorCode; waitSeconds?: number | undefined }

/** A problem as a cookie keeps it. */
export const problemShape: z.ZodType<Problem> = z.object({
  field: z.enum(fieldNames).nullable(),
  code: z.custom<ErrorCode>(isErrorCode),
  waitSeconds: z.number().optional(),
})

export function readForm(bytes: Uint8Array): SentForm {
  const { sent, value } = readFields(bytes)
  return {
    typed: Object.fromEntries(fieldNames.map((name) => [name, value(name)])) as Typed,
    custom: customTypedOf(sent.keys(), value),
    idempotencyKey: value('idempotency_key'),
    language: value('lang'),
    seen: value('seen').split('.'),
    proof: value('proof'),
  }
}

/** What a form sent; all of it is empty without a body. */
export function sentForm(request: { body: unknown }): SentForm {
  return (request.body as SentForm | undefined) ?? readForm(new Uint8Array())
}

export type ReadRequest =
  | { kind: 'request'; request: Omit<CheckoutRequest, 'language'> }
  /** The problems of the page's own fields stand in `readCustomTyped`. */
  | { kind: 'broken'; problems: Problem[] }

/** The checkout request of a form. All errors are reported at once. */
export function readRequest(page: OpenPage, form: SentForm): ReadRequest {
  const { typed } = form
  const name = checkoutBody.shape.customer_name.safeParse(typed.customer_name)
  // Only our own form may leave it out; the public endpoint requires it.
  const email = checkoutBody.shape.customer_email
    .nullable()
    .safeParse(textTyped(typed.customer_email) === '' ? null : typed.customer_email)
  const key = checkoutBody.shape.idempotency_key.safeParse(form.idempotencyKey)
  // The value comes from a list; for any other value the network is guessed from the number.
  const network = checkoutBody.shape.network.safeParse(typed.network).data ?? undefined
  // A text that is no amount stays as it is, and the rules refuse it.
  const amount = amountTyped(typed.amount) ?? (textTyped(typed.amount) || undefined)
  const custom = readCustomTyped(page.customFields, form.custom)
  if (name.success && email.success && key.success && custom.errors.length === 0) {
    return {
      kind: 'request',
      request: {
        phoneNumber: typed.phone_number,
        customerName: name.data,
        customerEmail: email.data,
        idempotencyKey: key.data,
        amount,
        network,
        customFields: custom.values,
      },
    }
  }
  const problems: Problem[] = []
  const amountReading = readAmount(page, amount)
  const phoneReading = readPayerPhone(typed.phone_number)
  if (amountReading.kind === 'broken') problems.push(problemOf(amountReading.error, typed))
  if (phoneReading.kind === 'broken') problems.push(problemOf(phoneReading.error, typed))
  if (!name.success)
    problems.push({ field: 'customer_name', code: textTyped(typed.customer_name) === '' ? 'name_required' : 'name_invalid' })
  if (!email.success) problems.push({ field: 'customer_email', code: 'email_invalid' })
  if (!key.success) problems.push({ field: null, code: 'form_stale' })
  return { kind: 'broken', problems }
}

const fieldCodes: ReadonlySet<string> = new Set([
  'amount_required',
  'amount_invalid',
  'amount_too_small',
  'amount_too_large',
  'amount_mismatch',
  'phone_invalid',
  'network_unsupported',
] satisfies ErrorCode[])

const formCodes: ReadonlySet<string> = new Set(['provider_unavailable', 'overloaded'] satisfies ErrorCode[])

/** What another number would change. */
const phoneCodes: ReadonlySet<string> = new Set(['phone_busy', 'network_unavailable'] satisfies ErrorCode[])

function problemOf(error: { field: string; code: string }, typed: Typed): Problem {
  if (error.code === 'phone_invalid' && textTyped(typed.phone_number) === '')
    return { field: 'phone_number', code: 'phone_required' }
  return { field: fieldNames.find((name) => name === error.field) ?? null, code: error.code as ErrorCode }
}

/** The form problems for a refused checkout; undefined when the form cannot fix it. */
export function problemsOf(refusal: Refusal, typed: Typed): Problem[] | undefined {
  if (refusal.code === 'idempotency_key_reused') return [{ field: null, code: 'key_reused' }]
  // "Answer the request on your phone" would not help a payer whose phone was prompted too often.
  const isOfPhone = refusal.detail.details?.['reason'] === 'too_many_prompts'
  if (isOfPhone || refusal.code === 'rate_limited')
    return [{ field: isOfPhone ? 'phone_number' : null, code: 'rate_limited', waitSeconds: refusal.detail.retryAfterSeconds }]
  if (phoneCodes.has(refusal.code)) return [{ field: 'phone_number', code: refusal.code as ErrorCode }]
  if (formCodes.has(refusal.code)) return [{ field: null, code: refusal.code as ErrorCode }]
  const errors = refusal.detail.errors ?? []
  if (errors.length === 0 || !errors.every(({ code }) => fieldCodes.has(code))) return undefined
  return errors.map((error) => problemOf(error, typed))
}
