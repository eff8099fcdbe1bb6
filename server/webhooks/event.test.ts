import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventBody, type EventRow } from './event.ts'

const event: EventRow = {
  id: '019bf4a1-2c40-7a5c-8f3e-1b2c3d4e5f60',
  type: 'payment.completed',
  paymentId: '019bf4a1-1c40-7a5c-9f3e-1b2c3d4e5f61',
  paymentPageId: '019bf4a0-1c40-7a5c-af3e-1b2c3d4e5f62',
  amount: 2500,
  amountReceived: null,
  currency: 'TZS',
  completedAt: new Date('2026-01-25T09:30:00.000Z'),
  createdAt: new Date('2026-01-25T09:30:00.007Z'),
}

test('the body of an event is these bytes and must not change [W09]', () => {
  assert.equal(
    eventBody(event),
    '{"id":"evt_01kfta2b20f9e8yfgv5gymwqv0","type":"payment.completed","created_at":"2026-01-25T09:30:00.007Z",' +
      '"data":{"reference":"pay_01kfta2720f9e9yfgv5gymwqv1","payment_page_id":"page_01kfta0720f9eayfgv5gymwqv2","amount":2500,' +
      '"currency":"TZS","completed_at":"2026-01-25T09:30:00.000Z"}}',
  )
})

test('neither other columns of a row nor the order of its columns changes a byte [W09]', () => {
  const shuffled = { home: 7, ...Object.fromEntries(Object.entries(event).toReversed()) } as unknown as EventRow
  assert.equal(eventBody(shuffled), eventBody(event))
})
