/** Repeats of requests that make an object: one object per key, and the first answer again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal } from '../../../test/refusals.ts'
import { share, startTestApp, type Answer } from '../../../test/app.ts'
import { eraseAnswersNaming } from './answer.sql.ts'

const sharedApp = share((ending) => startTestApp(ending))

const withKey = (key: string) => ({ 'idempotency-key': key })
const chai = { type: 'payment', title: 'Chai', amount: 1500 }

test('a repeat gets the status and the bytes of the first answer, even after the object has changed', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const create = (body: unknown = chai, headers = withKey('order 1')) =>
    app.call('POST', '/v1/payment-pages', { key, body, headers })
  const first = await create()
  assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [201, null])
  const { id } = first.body.data
  await app.call('PATCH', `/v1/payment-pages/${id}`, { key, body: { title: 'Kahawa' } })
  for (const body of [chai, { amount: 1500, title: 'Chai', type: 'payment' }]) {
    const again = await create(body)
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true'])
    assert.equal(JSON.stringify(again.body), JSON.stringify(first.body))
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
  }
  isRefusal(await create({ ...chai, amount: 1600 }), 422, 'idempotency_key_reused')
  assert.notEqual((await create(chai, withKey('order 2'))).body.data.id, id)
  // Beside them stands the page of the sandbox.
  const listed = await app.call('GET', '/v1/payment-pages', { key })
  assert.equal(listed.body.data.length, 3)
})

test('keys of another merchant, of the other environment and of another operation are separate', async () => {
  const app = await sharedApp()
  const [one, other] = [await app.student(), await app.student()]
  const headers = withKey('same key')
  const keys = [(await app.key(one)).key, (await app.key(one, 'live')).key, (await app.key(other)).key]
  const made: Answer[] = []
  for (const key of keys) made.push(await app.call('POST', '/v1/payment-pages', { key, body: chai, headers }))
  for (const environment of ['test', 'live']) {
    const path = `/v1/merchant/payment-pages?environment=${environment}`
    made.push(await app.call('POST', path, { token: one.token, body: chai, headers }))
  }
  assert.deepEqual(
    made.map(({ status }) => status),
    made.map(() => 201),
  )
  assert.equal(new Set(made.map(({ body }) => body.data.id)).size, made.length)
})

test('fifty requests at the same time make one object, and each gets its answer or is told to try again', async () => {
  const app = await sharedApp()
  const { token } = await app.student()
  const body = { name: 'Duka', environment: 'test' }
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => app.call('POST', '/developers/apps', { token, body, headers: withKey('app') })),
  )
  const made = answers.filter(({ status }) => status === 201)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    const code = answer.status === 409 ? 'idempotency_in_progress' : 'overloaded'
    isRefusal(answer, answer.status, code)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
  }
  assert.ok(made.length > 0)
  assert.equal(new Set(made.map((answer) => JSON.stringify(answer.body))).size, 1)
  assert.equal(made.filter(({ headers }) => !headers.has('idempotency-replayed')).length, 1)
  // The other one is the app of the sandbox.
  assert.equal((await app.call('GET', '/developers/apps', { token })).body.data.length, 2)
})

test('a refusal is not stored: the same request succeeds once nothing hinders it', async () => {
  const app = await sharedApp()
  const student = await app.student({ verified: false })
  const create = (headers: Record<string, string>, body: unknown = chai) =>
    app.call('POST', '/v1/merchant/payment-pages?environment=live', { token: student.token, body, headers })
  isRefusal(await create(withKey('early')), 403, 'kyc_required')
  const { token } = await app.student()
  const taken = await app.page({ ...student, token }, { slug: `duka-${Date.now()}` })
  const wanted = { ...chai, slug: taken.slug }
  const call = () =>
    app.call('POST', '/v1/merchant/payment-pages?environment=test', { token, body: wanted, headers: withKey('slug') })
  isRefusal(await call(), 409, 'slug_taken')
  await app.owner.pool.query('delete from payment_page_slugs where slug = $1', [taken.slug])
  const made = await call()
  assert.deepEqual([made.status, made.headers.get('idempotency-replayed')], [201, null])
})

test('a key that cannot be one is refused', async () => {
  const app = await sharedApp()
  const { token } = await app.student()
  for (const key of ['', 'x'.repeat(256), 'ufunguo-\u00e9']) {
    const answer = await app.call('POST', '/developers/apps', {
      token,
      body: { name: 'A', environment: 'test' },
      headers: withKey(key),
    })
    isRefusal(answer, 400, 'validation_error')
    assert.equal(answer.body.error.param, 'idempotency_key')
  }
})

test('the object and its answer are stored together or not at all', async (t) => {
  const app = await startTestApp(t)
  const { token } = await app.student()
  const body = { name: 'Duka', environment: 'test' }
  const create = () => app.call('POST', '/developers/apps', { token, body, headers: withKey('app') })
  const count = async (): Promise<number> => {
    const { data } = (await app.call('GET', '/developers/apps', { token })).body
    return data.filter(({ name }: { name: string }) => name === body.name).length
  }
  await app.owner.script(`
    create function refuse_answer() returns trigger language plpgsql as $$ begin raise exception 'no answer today'; end $$;
    create trigger refuse_answer before update on idempotent_answers for each row execute function refuse_answer()`)
  isRefusal(await create(), 500, 'internal_error')
  assert.equal(await count(), 0)
  await app.owner.script('drop trigger refuse_answer on idempotent_answers')
  assert.equal((await create()).status, 201)
  assert.equal((await create()).headers.get('idempotency-replayed'), 'true')
  assert.equal(await count(), 1)
})

test('an answer that showed a secret is not stored: a repeat names the object', async () => {
  const app = await sharedApp()
  const { token } = await app.student()
  const { id: appId } = (await app.call('POST', '/developers/apps', { token, body: { name: 'Duka', environment: 'test' } })).body
    .data
  const requests = [
    ['/developers/keys', { app_id: appId, key_name: 'Server', scopes: ['pages:read'] }],
    [`/developers/apps/${appId}/webhook`, { url: 'http://127.0.0.1:4000/hook' }],
  ] as const
  for (const [path, body] of requests) {
    const send = () => app.call('POST', path, { token, body, headers: withKey('once') })
    const first = await send()
    assert.equal(first.status, 201)
    const again = await send()
    isRefusal(again, 409, 'already_created')
    assert.deepEqual(again.body.error.details, { id: first.body.data.id })
  }
  const { rows } = await app.owner.pool.query(
    `select body from idempotent_answers where operation in ('createKey', 'saveWebhook')`,
  )
  assert.deepEqual(rows, [{ body: null }, { body: null }])
})

test('an erased payer is in no stored answer, and the repeat still makes no second object', async () => {
  const app = await sharedApp()
  const { token } = await app.student()
  const body = { ...chai, description: 'Call Juma.Hamisi@example.com' }
  const create = () =>
    app.call('POST', '/v1/merchant/payment-pages?environment=test', { token, body, headers: withKey('for juma') })
  const first = await create()
  await app.db.tx((tx) => eraseAnswersNaming(tx, ['juma.hamisi@example.com']))
  const again = await create()
  isRefusal(again, 409, 'already_created')
  assert.deepEqual(again.body.error.details, { id: first.body.data.id })
  const { rows } = await app.owner.pool.query('select 1 from idempotent_answers where body like $1', ['%Juma.Hamisi%'])
  assert.equal(rows.length, 0)
})

/** POST routes whose idempotency is their own, by reason. */
const ownKeys: Record<string, string[]> = {
  'The key is in the body, one per page.': ['startCheckout'],
  'The key is required, one per wallet.': [
    'createPayout',
    'createMerchantPayout',
    'createPayoutBatch',
    'createMerchantPayoutBatch',
  ],
}

/** POST routes that make no object, or whose repeat cannot make a second one, by reason. */
const makesNothing: Record<string, string[]> = {
  'An e-mail address and a phone number have one account: a repeat is 409 `already_registered`.': ['register'],
  'Opens or ends a session, or proves the identity of its person.': [
    'signIn',
    'signOut',
    'refreshSession',
    'verifySecondFactor',
    'stepUp',
  ],
  'Sets a property of the account: a repeat sets it again, or its one-time code is used up.': [
    'enrollSecondFactor',
    'confirmSecondFactor',
    'disableSecondFactor',
    'changePassword',
    'resetPassword',
    'verifyEmail',
    'confirmContactChange',
  ],
  'Replaces the open change, and mails another code.': ['requestContactChange'],
  'Sends again what exists, which is what the caller asks for.': [
    'forgotPassword',
    'resendEmailVerification',
    'resendEvent',
    'resendMerchantEvent',
    'resendAdminEvent',
    'resendWebhookDelivery',
    'replayWebhookEvents',
    'resendPrompt',
    'testWebhook',
  ],
  'Signs an address for a short time; only a file that is sent to it makes a document.': [
    'presignKycDocument',
    'presignBusinessDocument',
    'viewKycDocument',
    'viewBusinessDocument',
    'viewOwnKycDocument',
    'viewOwnBusinessDocument',
  ],
  'One recipient for each number: a repeat saves those that are missing.': ['saveMerchantPayoutBatchRecipients'],
  'Moves an object to a state, or asks for its state: a repeat finds it there or is 409 `invalid_state`.': [
    'submitKyc',
    'submitBusinessDocuments',
    'decideKyc',
    'decideBusiness',
    'claimReview',
    'releaseReview',
    'liftPayoutFreeze',
    'cancelPayment',
    'answerTestPrompt',
    'cancelPaymentRequest',
    'cancelMerchantPaymentRequest',
    'cancelRefund',
    'cancelMerchantRefund',
    'cancelPayout',
    'cancelMerchantPayout',
    'submitPayoutBatch',
    'submitMerchantPayoutBatch',
    'refuseMerchantPayoutBatch',
    'approveApproval',
    'refuseApproval',
    'approvePayout',
    'approveMerchantPayoutBatch',
    'stopPayoutBatch',
    'stopMerchantPayoutBatch',
    'refusePayout',
    'queryPayment',
    'queryAdminPayout',
    'proposeResolution',
    'confirmResolution',
    'closeSupportCase',
    'removeMerchantLogo',
    'suspendMerchant',
    'unsuspendMerchant',
    'suspendPaymentPage',
    'unsuspendPaymentPage',
  ],
  'Reads what a link offers, or turns it into a membership, once.': ['readInvitation', 'acceptInvitation'],
  'Grants the scopes that wait; a repeat finds none.': ['grantKey'],
  'Ends the wait of a new role; a repeat finds none.': ['confirmMember'],
  'Sets the one rule of a wallet: a repeat sets it again, or finds its change waiting.': ['setApprovalRule'],
  'One object per name: a repeat returns the same host.': ['registerRedirectHost'],
  'A movement has its own reference, under which it is recorded once.': ['recordProviderMovement'],
  'A run compares; a second one at the same time is refused.': ['startReconciliationRun'],
  'Replaces the secret; GET shows the current one, and the previous one still signs for a day.': ['rotateWebhookSecret'],
  'Renders a page that is not stored.': ['previewMerchantPaymentPage'],
  'Searches.': ['searchEverything'],
  'Reads; the entry in the log says each time who has read.': ['revealMerchantPayer', 'revealMerchantCustomer'],
}

test('every POST of the description takes an idempotency key, has its own, or makes nothing', async () => {
  const app = await sharedApp()
  const { body } = await app.call('GET', '/openapi.json')
  type Operation = { operationId: string; parameters?: { name: string; in: string }[] }
  const posts = Object.values(body.paths as Record<string, { post?: Operation }>).flatMap(({ post }) => post ?? [])
  const takesKey = ({ parameters = [] }: Operation): boolean =>
    parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'idempotency-key')
  const own = new Set(Object.values(ownKeys).flat())
  const harmless = new Set(Object.values(makesNothing).flat())
  const missing = posts
    .filter((post) => !takesKey(post) && !own.has(post.operationId) && !harmless.has(post.operationId))
    .map(({ operationId }) => operationId)
  assert.deepEqual(missing, [], 'give the route `config: { idempotencyKey }`, or name it in a list of this file with the reason')
  const names = new Set(posts.map(({ operationId }) => operationId))
  assert.deepEqual(
    [...own, ...harmless].filter((name) => !names.has(name)),
    [],
    'there are no such operations',
  )
  const both = posts.filter((post) => takesKey(post) && harmless.has(post.operationId)).map(({ operationId }) => operationId)
  assert.deepEqual(both, [], 'these routes take a key')
})
