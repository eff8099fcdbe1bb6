import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../../platform/refusal.ts'
import { problemsOf, readForm } from './payment-form.ts'

const typed = { amount: '', phone_number: '12', network: '', customer_name: '', customer_email: '' }

test('a form is read as it was entered, and a duplicate field is refused', () => {
  const form = readForm(
    Buffer.from('phone_number=0754+123&customer_name=J%C3%BAma+%3C&idempotency_key=k&lang=en&network=airtel&other=x'),
  )
  assert.deepEqual(form, {
    typed: { amount: '', phone_number: '0754 123', network: 'airtel', customer_name: 'Júma <', customer_email: '' },
    custom: {},
    idempotencyKey: 'k',
    language: 'en',
    seen: [''],
    proof: '',
  })
  assert.throws(() => readForm(Buffer.from('amount=500&amount=600')), Refusal)
})

test('a refusal becomes problems of the form, or none if the form cannot fix it', () => {
  const errors = [{ field: 'phone_number', code: 'phone_invalid', message: '' }]
  assert.deepEqual(problemsOf(new Refusal(400, 'phone_invalid', '', { errors }), typed), [
    { field: 'phone_number', code: 'phone_invalid' },
  ])
  assert.deepEqual(problemsOf(new Refusal(400, 'phone_invalid', '', { errors }), { ...typed, phone_number: ' ' }), [
    { field: 'phone_number', code: 'phone_required' },
  ])
  assert.deepEqual(problemsOf(new Refusal(429, 'phone_busy', ''), typed), [{ field: 'phone_number', code: 'phone_busy' }])
  assert.deepEqual(problemsOf(new Refusal(422, 'idempotency_key_reused', ''), typed), [{ field: null, code: 'key_reused' }])
  assert.equal(problemsOf(new Refusal(404, 'not_found', ''), typed), undefined)
})
