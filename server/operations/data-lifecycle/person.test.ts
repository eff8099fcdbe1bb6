/** All data of a person can be exported and erased; the books afterwards are unchanged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideBusiness, registerBusiness, submitBusiness, submitKyc, upload, uploadFour } from '../../../test/onboarding.ts'
import { addMember, lastMail, newMember } from '../../../test/members.ts'
import { eventually, share, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { verify } from '../../assurance/invariants/verify.ts'
import { ask, ended, paidStudent } from '../../../test/fixtures/payouts.ts'
import { fromWire } from '../../platform/ids.ts'
import { sweepReceipts } from '../../views/notifications/sweep-receipts.ts'
import { eraseAccount, eraseHeldRecords } from './erase-account.ts'
import { erasePayer } from './erase-payer.ts'
import { exportAccount, exportPhone } from './export-person.ts'

const sharedApp = share((ending) => startTestApp(ending))

const heldYears = 10

/** Each `table.column` that contains one of these words, in upper or lower case. */
async function whereIs(app: TestApp, words: string[]): Promise<string[]> {
  const { rows: tables } = await app.owner.pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await app.owner.pool.query<{ key: string }>(
      `select distinct j.key from ${name} t, jsonb_each_text(to_jsonb(t)) j
      where exists (select from unnest($1::text[]) w where position(lower(w) in lower(j.value)) > 0) order by 1`,
      [words],
    )
    found.push(...rows.map(({ key }) => `${name}.${key}`))
  }
  return found
}

/** Amounts, states and references of everything that moved money. */
async function books(app: TestApp): Promise<unknown> {
  const { rows } = await app.owner.pool.query(`
    select (select jsonb_agg(to_jsonb(t) order by id) from ledger_transfers t) as transfers,
      (select jsonb_agg(jsonb_build_array(id, kind, balance, last_seq) order by id) from ledger_accounts) as accounts,
      (select jsonb_agg(jsonb_build_array(id, status, amount, completed_at, updated_at) order by id) from payments) as payments,
      (select jsonb_agg(jsonb_build_array(id, status, amount, fee, completed_at, updated_at) order by id) from payouts) as payouts,
      (select jsonb_agg(to_jsonb(e) order by id) from events e where e.type not like 'business.%') as events`)
  return rows[0]
}

/** A student with data of every kind, and the words that only this student entered. */
async function startPerson(app: TestApp): Promise<{ student: Student; words: string[] }> {
  const person = {
    full_name: 'Zuberi Mwakilembe',
    email: 'zuberi.mwakilembe@example.com',
    phone_number: '+255754999321',
    password: 'a-long-password-of-zuberi',
    student_id: 'UD-2023-77341',
    institution: 'Chuo cha Mwakilembe',
  }
  const { body } = await app.call('POST', '/v1/auth/register', { body: person, headers: { 'user-agent': 'Zuberiphone/7' } })
  const { access_token: token, refresh_token: refreshToken, user } = body.data
  const student = { ...person, phoneNumber: person.phone_number, token, refreshToken, userId: user.id as string }
  const shopApp = await app.call('POST', '/developers/apps', {
    token,
    body: { name: 'Duka la Mwakilembe', description: 'mwakilembe', environment: 'test' },
  })
  await app.call('POST', `/developers/apps/${shopApp.body.data.id}/webhook`, {
    token,
    body: { url: 'http://127.0.0.1:9/mwakilembe' },
  })
  return { student, words: ['zuberi', 'mwakilembe', '754999321', 'UD-2023-77341'] }
}

async function pay(app: TestApp, slug: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await app.checkout(slug, fields)
  assert.equal(status, 201, JSON.stringify(body))
  await app.settled(body.data.reference)
  return body.data.reference
}

async function saveRecipient(app: TestApp, { token }: Student, body: { name: string; phone_number: string }): Promise<void> {
  const saved = await app.call('POST', '/v1/merchant/recipients?environment=test', { token, body })
  assert.equal(saved.status, 201, JSON.stringify(saved.body))
}

test('an account that was never verified is exported and erased completely, and can be opened again', async (t) => {
  const lines: string[] = []
  const app = await startTestApp(t, { logLevel: 'debug', logTo: (line) => lines.push(line) })
  const { student, words } = await startPerson(app)
  await upload(app, student, '/v1/kyc', 'selfie')
  assert.equal((await submitKyc(app, student)).status, 200)
  await saveRecipient(app, student, { name: 'Rehema Kitambo', phone_number: '+255754999654' })
  words.push('Kitambo', '754999654')
  const exported = await exportAccount({ db: app.db, nowMs: 0 }, 'Zuberi.Mwakilembe@example.com ')
  const text = JSON.stringify(exported)
  for (const word of [...words, '2003-05-17', 'Zuberiphone/7', '0123']) assert.ok(text.includes(word), word)
  assert.deepEqual(Object.keys(exported.data['users']![0]!).toSorted(), [
    'created_at',
    'disabled_at',
    'email',
    'email_verified_at',
    'full_name',
    'id',
    'institution',
    'phone_number',
    'role',
    'student_id',
  ])
  assert.doesNotMatch(text, /argon2|whsec|sealed|_hash|v1\./)

  const before = await books(app)
  const { pseudonym, heldUntil } = await eraseAccount(app.deps, { email: student.email, heldYears, keepsHeldRecords: false })
  assert.equal(heldUntil, null)
  assert.deepEqual(await whereIs(app, [...words, 'Zuberiphone', '2003-05-17']), [])
  assert.deepEqual(await books(app), before)
  assert.deepEqual(await verify(app.owner), [])
  const { rows } = await app.owner.pool.query(`select
    (select count(*)::integer from documents) as documents, (select count(*)::integer from unfinished_objects) as objects,
    (select action || ' ' || (after ->> 'pseudonym') from audit_log order by seq desc limit 1) as latest`)
  assert.deepEqual(rows, [{ documents: 0, objects: 8, latest: `person.erased ${pseudonym}` }])
  // The account has no session any more, and the same person may register again.
  assert.equal((await app.call('GET', '/v1/me', { token: student.token })).status, 401)
  const { email, password } = student
  assert.equal((await app.call('POST', '/v1/auth/login', { body: { identifier: email, password } })).status, 401)
  await assert.rejects(exportAccount({ db: app.db, nowMs: 0 }, email), { code: 'not_found' })
  await startPerson(app)
  assert.doesNotMatch(lines.join('\n'), /mwakilembe|754999321/i)
})

test('the identification records of a verified account are held as long as the law requires, and then erased', async () => {
  const app = await sharedApp()
  const { student, words } = await startPerson(app)
  const admin = await app.admin()
  assert.equal((await submitKyc(app, student)).status, 200)
  await upload(app, student, '/v1/kyc', 'selfie')
  const decided = await app.call('POST', `/v1/admin/kyc/${student.userId}/verify`, {
    token: admin.token,
    body: { status: 'verified' },
  })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  const business = await registerBusiness(app, student, {
    legal_name: 'Mwakilembe Traders Limited',
    trading_name: 'Mwakilembe Duka',
  })
  await submitBusiness(app, student, business.id, await uploadFour(app, student, business.id))
  assert.equal((await decideBusiness(app, admin, business.id, { status: 'verified' })).status, 200)
  const page = await app.page(student, { title: 'Chai ya Zuberi', slug: 'chai-ya-zuberi', description: 'zuberi' }, 'test')
  await pay(app, page.slug)
  const { key } = await app.key(student)
  const payout = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 500, phone_number: '0754000123', recipient_name: 'Bibi Salma', narration: 'Salma' },
  })
  assert.ok([201, 400, 402].includes(payout.status))

  const refused = eraseAccount(app.deps, { email: student.email, heldYears, keepsHeldRecords: false })
  await assert.rejects(
    refused,
    /Anti-Money Laundering Act, section 16\), that is until 2036-\d\d-\d\d\. With --keep-held-records/,
  )
  const before = await books(app)
  const { heldUntil } = await eraseAccount(app.deps, { email: student.email, heldYears, keepsHeldRecords: true })
  assert.equal(heldUntil!.toISOString().slice(0, 4), String(new Date().getUTCFullYear() + heldYears))
  assert.deepEqual(await books(app), before)
  assert.deepEqual(await whereIs(app, [...words, '2003-05-17', 'BRELA-123456']), [
    'businesses.legal_name',
    'businesses.registration_number',
    'businesses.representative_student_id',
    'businesses.trading_name',
    'identity_papers.date_of_birth',
    'verification_history.package',
  ])
  const { rows: documents } = await app.owner.pool.query(`select count(*)::integer as count from documents`)
  assert.deepEqual(documents, [{ count: 7 }], 'the file without a decision is removed')
  assert.equal((await fetch(`${app.config.urls.checkout}/pay/chai-ya-zuberi`)).status, 404)
  // The database itself refuses to erase held records.
  const forced = app.db.pool.query('select erase_identification($1)', [fromWire('usr', student.userId)])
  await assert.rejects(forced, /records are held/)
  assert.equal(await eraseHeldRecords(app.deps, 10), 0)

  await app.owner.pool.query(`update erasures set held_until = clock_now() - interval '1 second'`)
  assert.equal(await eraseHeldRecords(app.deps, 10), 1)
  assert.equal(await eraseHeldRecords(app.deps, 10), 0)
  assert.deepEqual(await whereIs(app, [...words, '2003-05-17', 'BRELA-123456']), [])
  assert.deepEqual(await books(app), before)
  assert.deepEqual(await verify(app.owner), [])
})

test('an erased person leaves their businesses: one with another owner goes on, one without is erased with them', async () => {
  const app = await sharedApp()
  const { student, words } = await startPerson(app)
  const [heir, cashier] = [await app.student(), await app.student()]
  const kept = await registerBusiness(app, student, { legal_name: 'Umoja Company Limited', trading_name: null })
  const lost = await registerBusiness(app, student, { legal_name: 'Mwakilembe Traders', trading_name: null })
  const elsewhere = await registerBusiness(app, heir)
  await addMember(app, heir, elsewhere.id, student as Student, 'admin')
  const heirId = await addMember(app, student, kept.id, heir, 'admin')
  const promoted = await app.call('PATCH', `/v1/businesses/${kept.id}/members/${heirId}`, {
    token: student.token,
    body: { role: 'owner' },
  })
  assert.equal(promoted.status, 200, JSON.stringify(promoted.body))
  await addMember(app, student, lost.id, cashier, 'cashier')
  const invite = (by: { token: string }, businessId: string, email: string) =>
    app.call('POST', `/v1/businesses/${businessId}/members`, { token: by.token, body: { email, role: 'cashier' } })
  await invite(student, lost.id, 'salome@example.com')
  const third = await registerBusiness(app, heir)
  assert.equal((await invite(heir, third.id, student.email)).status, 201)
  const exported = await exportAccount({ db: app.db, nowMs: 0 }, student.email)
  assert.deepEqual(
    exported.data['members']!.map(({ role, email }) => `${String(role)} ${String(email)}`).toSorted((a, b) => (a < b ? -1 : 1)),
    ['admin null', `cashier ${student.email}`, 'owner null', 'owner null', 'owner null'],
  )

  await eraseAccount(app.deps, { email: student.email, heldYears, keepsHeldRecords: true })
  assert.deepEqual(await whereIs(app, words), [])
  // The mail to the invited person is about her, and goes with the other mails.
  assert.deepEqual(await whereIs(app, ['salome']), ['mails.recipient'])
  const { rows } = await app.owner.pool.query(
    `select m.id, u.email, m.display_name, m.verification_status as status,
      (select count(*)::integer from members x where x.merchant_id = m.id and x.removed_at is null) as members
    from merchants m join users u on u.id = m.user_id where m.id = any($1::uuid[]) order by array_position($1::uuid[], m.id)`,
    [[kept, lost, elsewhere, third].map(({ id }) => fromWire('biz', id))],
  )
  const pseudonym = rows[1].display_name
  assert.match(pseudonym, /^erased-/)
  assert.deepEqual(
    rows.map(({ email, display_name, status, members }) => [email, display_name, status, members]),
    [
      [heir.email, 'Umoja Company Limited', 'pending', 1],
      [`${pseudonym}@erased.invalid`, pseudonym, 'rejected', 1],
      [heir.email, 'Mwenge Duka', 'pending', 1],
      [heir.email, 'Mwenge Duka', 'pending', 1],
    ],
  )
  assert.match(await lastMail(app, heir.email, 'power_changed'), /Umoja Company Limited: An owner of your business was removed/)
  assert.equal((await app.call('GET', `/v1/businesses/${lost.id}/members`, { token: cashier.token })).status, 404)
  assert.deepEqual(await verify(app.owner), [])
})

test('a person that an approval rule needs is erased after the business has another approver', async () => {
  const app = await sharedApp()
  const owner = await app.student()
  const { id: businessId } = await registerBusiness(app, owner)
  const approver = await newMember(app, owner, businessId, 'approver')
  const rule = await app.call('POST', `/v1/merchant/approval-rule?business_id=${businessId}&environment=test`, {
    token: owner.token,
    body: { above: 0, approvers: 1 },
  })
  assert.equal(rule.status, 200, JSON.stringify(rule.body))
  const erase = (email = approver.email) => eraseAccount(app.deps, { email, heldYears, keepsHeldRecords: true })
  // Who never approved is not missed, also while the approver is disabled.
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const disable = (at: string) => app.owner.pool.query(`update users set disabled_at = ${at} where email = $1`, [approver.email])
  await disable('clock_now()')
  assert.match((await erase(cashier.email)).pseudonym, /^erased-/)
  await disable('null')
  await assert.rejects(erase(), { code: 'approvers_missing', message: /an owner of .+ invites another approver.+approver-gone/ })
  await newMember(app, owner, businessId, 'approver')
  assert.match((await erase()).pseudonym, /^erased-/)
})

test('an account with open money and the account of an operator are not erased, and the refusal gives the reason', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student, {}, 'live')
  const erase = (email = student.email) => eraseAccount(app.deps, { email, heldYears, keepsHeldRecords: true })
  const { body } = await app.checkout(page.slug, { phone_number: '0754000129' })
  await assert.rejects(erase(), /cannot be erased yet: 1 payments to it have not ended\.$/)
  await pay(app, page.slug)
  await assert.rejects(
    erase(),
    /TSh 1,500 are in its live wallets.*needs another payment before\); 1 payments to it have not ended/,
  )
  await assert.rejects(erasePayer(app.deps, '+255754000129'), /cannot be erased yet: 1 payments from it have not ended/)
  assert.equal((await app.call('GET', '/v1/me', { token: student.token })).status, 200, 'the account is unchanged')
  assert.ok(body.data.reference)
  const admin = await app.admin()
  await assert.rejects(erase(admin.email), /account of an operator/)
})

test('a payer is exported and erased over all pages, with mails and messages of providers; merchants keep their money', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const [one, other] = [await app.page(student), await app.page(await app.student())]
  const who = { phone_number: '0754 888 789', customer_name: 'Neema Kisusange', customer_email: 'neema.kisusange@example.com' }
  const first = await pay(app, one.slug, who)
  await pay(app, other.slug, { ...who, customer_name: 'N. Kisusange' })
  await pay(app, one.slug)
  await eventually('the receipts are enqueued', async () => {
    await sweepReceipts(app.deps, 100)
    const { rows } = await app.owner.pool.query(`select from mails where kind = 'test_receipt'`)
    return rows.length === 3
  })
  // A message that names no payment of ours contains the number as well.
  await app.owner.pool
    .query(`insert into provider_inbox (provider, environment, event_id, body_hash, body, state, request_id, received_at)
    values ('snippe', 'test', 'lost', '\\x00', '{"phone":"255754888789"}', 'orphan', 'r', clock_now() - interval '40 days')`)
  await app.owner.pool.query(
    `update payments set merchant_reference = 'For Neema', metadata = '{"buyer":"Neema"}' where id = $1`,
    [fromWire('pay', first)],
  )
  await saveRecipient(app, student, { name: 'Kisusange wa duka', phone_number: who.phone_number })
  await saveRecipient(app, student, { name: 'Another', phone_number: '0754888788' })
  const exported = await exportPhone({ db: app.db, nowMs: 0 }, '+255754888789')
  assert.deepEqual(
    exported.data['recipients']!.map(({ name }) => name),
    ['Kisusange wa duka'],
  )
  assert.equal(exported.data['payments']!.length, 2)
  assert.equal(exported.data['mails']!.length, 2)
  assert.match(JSON.stringify(exported), /N\. Kisusange.*/)

  const before = await books(app)
  const erased = await erasePayer(app.deps, '+255754888789')
  assert.deepEqual([erased.payments, erased.payouts, erased.messages], [2, 0, 1])
  assert.deepEqual(await whereIs(app, ['kisusange', '754888789']), [])
  assert.ok((await whereIs(app, ['juma@example.com'])).includes('payments.customer_email'), 'other payers are unchanged')
  const left = await app.call('GET', '/v1/merchant/recipients?environment=test', { token: student.token })
  assert.deepEqual(
    left.body.data.map(({ name }: { name: string }) => name),
    ['Another'],
  )
  assert.deepEqual(await books(app), before)
  assert.deepEqual(await verify(app.owner), [])
  await assert.rejects(erasePayer(app.deps, '+255754888789'), { code: 'not_found' })

  // A visitor with the link still sees that it was paid, and the merchant sees the amount.
  const receipt = await (await fetch(`${app.config.urls.checkout}/r/${first}`)).text()
  assert.match(receipt, /•••/)
  assert.doesNotMatch(receipt, /erased/)
  const { token } = student
  const list = await app.call('GET', '/v1/merchant/transactions?environment=test', { token })
  assert.deepEqual(
    list.body.data.map((one: any) => [one.amount, one.customer.name]),
    [
      [1500, 'Juma Hamisi'],
      [1500, erased.pseudonym],
    ],
  )
  const { network_receipt, merchant_reference, metadata } = list.body.data[1]
  assert.deepEqual([network_receipt, merchant_reference, metadata], [null, null, {}])
  const payment = await app.call('GET', `/v1/merchant/payments/${first}?environment=test`, { token })
  assert.deepEqual([payment.status, payment.body.data.network_receipt], [200, null])
})

test('the customer that a payment request names gets a copy of it, and nothing of other people; its words end with the payer', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const words = {
    amount: 25_000,
    title: 'Ada ya Tumaini Kweka',
    description: 'Tumaini Kweka, kidato cha pili',
    merchant_reference: 'KWEKA-2',
    metadata: { pupil: 'Tumaini Kweka' },
    success_message: 'Asante Tumaini Kweka',
  }
  const request = async (customer: object, own: object = words): Promise<{ id: string; url: string }> => {
    const { status, body } = await app.call('POST', '/v1/payment-requests', { key, body: { ...own, customer } })
    assert.equal(status, 201, JSON.stringify(body))
    return body.data
  }
  const named = await request({ name: 'Tumaini Kweka', email: 'tumaini.kweka@example.com' })
  const ofBahati = { amount: 25_000, title: 'Ada ya shule', merchant_reference: 'R-2' }
  const ofOther = await request({ name: 'Bahati Lema', email: 'bahati.lema@example.com', phone_number: '0754886789' }, ofBahati)
  const open = await request({ name: 'Tumaini Kweka', phone_number: '0754887789' })
  const who = { phone_number: '0754887789', customer_name: 'T. Kweka', customer_email: 't.kweka@example.com' }
  const slugOf = ({ url }: { url: string }): string => url.split('/pay/')[1]!
  const reference = await pay(app, slugOf(named), who)
  await pay(app, slugOf(ofOther), who)
  // Another person says that this payment took their money.
  await app.owner.pool.query(
    `insert into support_cases (home, id, payment_id, merchant_id, environment, sms_number, claimed_phone, words, email, payer_language, request_id)
    select home, gen_random_uuid(), id, merchant_id, environment, 'BLEMA77', '+255754886789', 'Mimi ni Bahati', 'bahati.lema@example.com', 'sw', 'r'
    from payments where id = $1`,
    [fromWire('pay', reference)],
  )
  const { data } = await exportPhone({ db: app.db, nowMs: 0 }, '+255754887789')
  assert.deepEqual(
    data['payment_requests']?.map(({ customer_name, customer_email }) => [customer_name, customer_email]),
    [
      ['Tumaini Kweka', 'tumaini.kweka@example.com'],
      ['Tumaini Kweka', null],
    ],
  )
  assert.deepEqual(Object.keys(data['support_cases']![0]!).toSorted(), ['created_at', 'finding', 'id', 'state'])
  assert.doesNotMatch(JSON.stringify(data), /bahati|754886789|BLEMA77/i)

  await erasePayer(app.deps, '+255754887789')
  assert.deepEqual(await whereIs(app, ['kweka', '754887789']), [])
  const left = await app.call('GET', `/v1/payment-requests/${ofOther.id}`, { key })
  assert.deepEqual([left.body.data.title, left.body.data.customer.name], ['Ada ya shule', 'Bahati Lema'])
  const ended = await app.call('GET', `/v1/payment-requests/${open.id}`, { key })
  assert.equal(ended.body.data.status, 'cancelled', 'a payment from now on would name no order')
  const page = await (await fetch(named.url)).text()
  assert.doesNotMatch(page, /kweka/i)
  assert.deepEqual(await verify(app.owner), [])
})

test('a person who is paid again while their data is erased is erased later, and the payout keeps its recipient', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const phone = '+255754321123'
  const payouts = [await ask(app, key, { phone_number: phone })]
  await ended(app, key, payouts[0]!.body.data.id, 'completed')
  const holder = await app.owner.pool.connect()
  try {
    await holder.query('begin; lock table mails in share row exclusive mode')
    const refused = assert.rejects(erasePayer(app.deps, phone), { code: 'invalid_state', message: /begun a moment ago/ })
    await eventually('the erasure has read the open payouts', async () => {
      const { rowCount } = await app.owner.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rowCount === 1
    })
    payouts.push(await ask(app, key, { phone_number: phone }))
    await holder.query('commit')
    await refused
  } finally {
    holder.release()
  }
  for (const { body } of payouts) assert.equal((await ended(app, key, body.data.id, 'completed')).phone_number, phone)
  assert.equal((await erasePayer(app.deps, phone)).payouts, 2)
})
