/**
 * The callers and their targets: one service with two owners, their keys, operators, and things that requests may use up. Invariant:
 * the effects of one route leave the things of the next route unchanged.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createAccessTokens } from '../../server/identity/access-token.ts'
import { hashesOfMailedCode } from '../../server/identity/mailed-code.ts'
import type { MailedPurpose } from '../../server/identity/mailed-token.sql.ts'
import { fromWire, newId, toWire } from '../../server/platform/ids.ts'
import { drawLogo } from '../../server/brands/brands-fixture.ts'
import { freezeMerchantPayouts } from '../../server/controls/freeze-merchant.ts'
import {
  makeKey,
  makeOwners,
  openBreakOf,
  openCaseOf,
  placesOf,
  type Belongings,
  type Owner,
  type Places,
} from '../attacks/objects.ts'
import { registerBusiness, submitBusiness, submitKyc, upload, uploadFour, decideBusiness } from '../onboarding.ts'
import { newMember, verifyEmail } from '../members.ts'
import { codeNow, eventually, startTestApp, type Admin, type Answer, type Student, type TestApp } from '../app.ts'
import type { Dice } from './dice.ts'

/** A caller. */
export type Actor = {
  name: string
  /** Signs in again for each route: an access token expires before a run ends. */
  token?: () => Promise<string>
  key?: string
  places: Places
  belongings: Belongings
  /** The query parameter by which a signed-in person names the merchant. */
  query?: Record<string, string>
}

/** The fields of a correct request that its schema does not describe. A field that is undefined is left out. */
export type Wanted = {
  places?: Places
  body?: Record<string, unknown>
  query?: Record<string, string>
  headers?: Record<string, string>
  token?: string
}

export type Fixtures = {
  app: TestApp
  actors: readonly Actor[]
  person: Actor
  business: Actor
  operator: Actor
  testKeys: readonly Actor[]
  keys: readonly Actor[]
  anonymous: Actor
  owner: Owner
  /** Prepares what the requests of a route use up, by operation; most routes need nothing. */
  wantedBy: Record<string, (actor: Actor, dice: Dice) => Promise<Wanted> | Wanted>
  /** Remembers an answer that a later request needs. */
  record(operationId: string, answer: Answer): void
  /** Restores what time or the last route has changed. */
  renew(): Promise<void>
  /** The faults logged since the last call. */
  takeFaults(): string[]
}

/** Log lines about money and messages that do not match; these are not faults of the service. */
const noFaults = /event_changed|(amount|settled)_differs|reference_conflict|orphan_message|payout_contradicts|"alert":true/

/** Returns the log lines that report faults. */
export function faultsOf(lines: string[]): string[] {
  return lines.splice(0).filter((line) => !noFaults.test(line))
}

const limits = [
  'sign-in',
  'key',
  'checkout',
  'status',
  'unknown-reference',
  'presign',
  'payout',
  'webhook-test',
  'webhook-secret',
  'payer-reveal',
  'redirect-host',
  'invitation',
]
const everySecond = [...limits, 'prompts-burst', 'prompts-day'].map((name) => `${name}=1000000/1`).join(',')

/** Above this amount a payout waits for an operator; during that time it can be cancelled. */
const approvalAbove = 50_000

const hour = 3_600_000
const later = (ms: number): string => new Date(Date.now() + ms).toISOString()
const hex = (bytes: number): string => randomBytes(bytes).toString('hex')
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

export async function startFixtures(t: TestContext): Promise<Fixtures> {
  const lines: string[] = []
  const app = await startTestApp(t, {
    logLevel: 'error',
    logTo: (line) => lines.push(line),
    settings: {
      RATE_LIMIT_QUOTAS: everySecond,
      PAYOUT_APPROVAL_ABOVE: String(approvalAbove),
      SECURITY_LOG_LINES_PER_MINUTE: '1000000',
    },
  })
  const run = (text: string, values: unknown[] = []) => app.owner.pool.query(text, values)
  const [owner, victim] = (await makeOwners(t, app, 2)) as [Owner, Owner]
  const [admin, otherAdmin] = [await app.admin(), await app.admin()]
  const tokens = createAccessTokens({ ...app.deps, config: app.config })
  const uuid = (prefix: Parameters<typeof fromWire>[0], id: string): string => fromWire(prefix, id)!

  /** Creates a separate copy of the newest session of a person. */
  async function newSession(userId: string): Promise<{ id: string; token: string }> {
    const id = newId()
    const { rows } = await run(
      `insert into sessions
       select (jsonb_populate_record(s, jsonb_build_object('id', $1::text, 'created_at', clock_now(), 'authenticated_at', clock_now(),
         'last_used_at', clock_now(), 'idle_expires_at', clock_now() + interval '1 hour', 'expires_at', clock_now() + interval '2 hours',
         'revoked_at', null, 'revoked_reason', null))).*
       from sessions s where user_id = $2 order by s.created_at limit 1 returning amr, (select role from users u where u.id = user_id) as role`,
      [id, uuid('usr', userId)],
    )
    assert.equal(rows.length, 1)
    const token = await tokens.sign({ userId: uuid('usr', userId), sessionId: id, role: rows[0].role, amr: rows[0].amr })
    return { id: toWire('ses', id), token }
  }

  async function ask(method: string, path: string, token: string, body?: unknown): Promise<any> {
    // A busy machine may answer so for a moment; that says nothing about the setup here.
    const answer = await eventually(`${path} is taken`, async () => {
      const answer = await app.call(method, path, { token, ...(body !== undefined && { body }) })
      return answer.body?.error?.code !== 'overloaded' && answer
    })
    assert.ok(answer.status < 300, `${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }

  // Enough money for every payout of a run.
  async function fill(belongings: Belongings): Promise<string> {
    const as = `environment=test${belongings.businessId === undefined ? '' : `&business_id=${belongings.businessId}`}`
    const fields = { type: 'payment', title: 'Michango', allow_custom_amount: true }
    const page = await ask('POST', `/v1/merchant/payment-pages?${as}`, owner.token, fields)
    for (let filled = 0; filled < 8; filled += 1) {
      const phone = `+25575${String(4_000_000 + filled * 1000 + 789)}`
      const { body } = await app.checkout(page.slug, { amount: 10_000_000, phone_number: phone })
      assert.equal((await app.settled(body.data.reference)).status, 'completed')
    }
    return page.slug as string
  }
  const openSlug = await fill(owner.own)
  await fill(owner.ofBusiness)

  async function sparePage({ businessId }: Belongings): Promise<string> {
    const as = `environment=test${businessId === undefined ? '' : `&business_id=${businessId}`}`
    const { id } = await ask('POST', `/v1/merchant/payment-pages?${as}`, owner.token, {
      type: 'payment',
      title: 'Akiba',
      amount: 900,
    })
    return id as string
  }
  const spare = new Map([
    [owner.own, await sparePage(owner.own)],
    [owner.ofBusiness, await sparePage(owner.ofBusiness)],
  ])

  // People in intermediate states: one whose identity review is open, a business in review, one with a second factor.
  const applicant = await app.student({ verified: false })
  assert.equal((await submitKyc(app, applicant)).status, 200)
  const kycUrls = {
    national_id_url: await upload(app, applicant, '/v1/kyc', 'national_id'),
    student_id_card_url: await upload(app, applicant, '/v1/kyc', 'student_id_card'),
    selfie_url: await upload(app, applicant, '/v1/kyc', 'selfie'),
  }
  const draft = await registerBusiness(app, owner, {
    registration_number: 'BRELA-777',
    tax_identification_number: '777-777-777',
  })
  const draftUrls = await uploadFour(app, owner, draft.id)
  const applying = await registerBusiness(app, owner, {
    registration_number: 'BRELA-888',
    tax_identification_number: '888-888-888',
  })
  const applyingUrls = await uploadFour(app, owner, applying.id)
  // The rule of the business can need two others.
  const approver = await newMember(app, owner, owner.businessId, 'approver')
  await newMember(app, owner, owner.businessId, 'admin')
  const cautious = await app.student()
  const forgetful = await app.student()
  const operatorToken = async (): Promise<string> => (await newSession(admin.userId)).token

  const breakId = await openBreakOf(app, owner.own.reference)
  const breakToConfirm = { id: await openBreakOf(app, owner.ofBusiness.reference), isOpen: true }
  const places = { ...placesOf(owner, owner.own, breakId), name: { id: 'test.checkout.halotel' } }
  const placesOfBusiness = { ...placesOf(owner, owner.ofBusiness, breakId), name: { id: 'test.checkout.halotel' } }
  const ownToken = async (): Promise<string> => (await newSession(owner.userId)).token
  const inTest = { environment: 'test' }
  const live = await makeKey(app, owner, { environment: 'live' })
  const liveOfBusiness = await makeKey(app, owner, { environment: 'live', business_id: owner.businessId })
  const narrow = await makeKey(app, owner, { scopes: ['profile:read'] })
  const one = { places, belongings: owner.own }
  const other = { places: placesOfBusiness, belongings: owner.ofBusiness }

  const anonymous: Actor = { name: 'anonymous', ...one }
  const person: Actor = { name: 'a person', token: ownToken, ...one, query: inTest }
  const business: Actor = {
    name: 'the owner of a business',
    token: ownToken,
    ...other,
    query: { ...inTest, business_id: owner.businessId },
  }
  const operator: Actor = { name: 'an operator', token: operatorToken, ...one }
  const testKeys: Actor[] = [
    { name: 'a test key', key: owner.own.key, ...one },
    { name: 'a test key of a business', key: owner.ofBusiness.key, ...other },
  ]
  const keys: Actor[] = [
    ...testKeys,
    { name: 'a live key', key: live.key, ...one },
    { name: 'a live key of a business', key: liveOfBusiness.key, ...other },
  ]
  const actors: Actor[] = [
    anonymous,
    person,
    business,
    operator,
    ...keys,
    { name: 'a key of one scope', key: narrow.key, ...one },
    { name: 'a stranger', token: async () => (await newSession(victim.userId)).token, ...one, query: inTest },
  ]

  const digits = (dice: Dice, ending: string): string =>
    `+2557${dice.pick(['54', '65', '13', '82'])}${String(dice.between(0, 999)).padStart(3, '0')}${ending}`
  const pageBody = (dice: Dice, more: Record<string, unknown> = {}): Wanted => ({
    body: {
      amount: dice.between(500, 9000),
      min_amount: undefined,
      max_amount: undefined,
      max_payments: dice.chance(0.5) ? 1 : undefined,
      ...more,
    },
  })
  const newKey = async (): Promise<{ id: string; prefix: 'key' }> => {
    const fields = { app_id: owner.own.appId, key_name: 'Ya muda', scopes: ['balance:read'] }
    return { id: (await ask('POST', '/developers/keys', await ownToken(), fields)).id, prefix: 'key' }
  }
  const newRecipient = async ({ belongings }: Actor, dice: Dice): Promise<Wanted> => {
    const merchantId = uuid(belongings.businessId === undefined ? 'usr' : 'biz', belongings.businessId ?? owner.userId)
    const id = newId()
    await run(
      `insert into recipients (home, id, merchant_id, environment, name, phone_number, created_by)
       select home, $2, id, 'test', 'Ya muda', $3, 'test' from merchants where id = $1 on conflict do nothing`,
      [merchantId, id, digits(dice, '123')],
    )
    return { places: { 'recipients/id': { id: toWire('rcp', id), prefix: 'rcp' } } }
  }
  /** The page is one of the caller's own. The other filters make room: a person has at most 20. */
  const newFilter = (list: 'payments' | 'payouts') => async (actor: Actor, dice: Dice) => {
    await run(`delete from saved_filters where list = $1`, [list])
    const page = list === 'payments' && dice.chance(0.3) ? { payment_page_id: actor.belongings.pageId } : {}
    const days = dice.pick([{ period: 'today' }, { from: '2026-01-01', to: '2026-02-01' }, {}])
    return { body: { name: dice.word(8), filter: { status: 'failed', ...page, ...days } } }
  }
  const someFilter = (list: 'payments' | 'payouts') => async (actor: Actor, dice: Dice) => {
    const id = newId()
    await run(
      `insert into saved_filters (id, user_id, merchant_id, environment, list, name, status)
       values ($2, $3, $1, 'test', $4, $5, 'failed')`,
      [
        uuid(actor.belongings.businessId === undefined ? 'usr' : 'biz', actor.belongings.businessId ?? owner.userId),
        id,
        uuid('usr', owner.userId),
        list,
        dice.word(12),
      ],
    )
    return { places: { [`${list}/filter_id`]: { id: toWire('flt', id), prefix: 'flt' as const } } }
  }
  const openCheckout = async (dice: Dice): Promise<{ reference: string; checkout_token: string }> => {
    const { status, body } = await app.checkout(openSlug, { amount: 1000, phone_number: digits(dice, '000') })
    assert.equal(status, 201, JSON.stringify(body))
    await app.deps.backgroundDone()
    return body.data
  }
  const paidOut = async (actor: Actor, dice: Dice): Promise<Places> => {
    const { status, body } = await app.call('POST', '/v1/payouts', {
      key: actor.belongings.key,
      headers: { 'idempotency-key': hex(8) },
      body: { amount: approvalAbove + 1000, phone_number: digits(dice, '001'), recipient_name: 'Asha Mushi' },
    })
    assert.equal(status, 201, JSON.stringify(body))
    return { 'payouts/id': { id: body.data.id, prefix: 'po' } }
  }
  const drafted = async ({ belongings: { key } }: Actor, dice: Dice): Promise<Places> => {
    const items = [{ amount: 5000, phone_number: digits(dice, '003'), recipient_name: 'Asha Mushi' }]
    const { status, body } = await app.call('POST', '/v1/payout-batches', {
      key,
      headers: { 'idempotency-key': hex(8) },
      body: { items },
    })
    assert.equal(status, 201, JSON.stringify(body))
    await app.deps.backgroundDone()
    return { 'batches/id': { id: body.data.id, prefix: 'pb' }, row: { id: '1' } }
  }
  const runningBatch = async (actor: Actor, dice: Dice): Promise<Places> => {
    const places = await drafted(actor, dice)
    const { businessId } = actor.belongings
    const as = `environment=test${businessId === undefined ? '' : `&business_id=${businessId}`}`
    await ask('POST', `/v1/merchant/payout-batches/${places['batches/id']!.id}/approve?${as}`, await ownToken(), { version: 1 })
    return places
  }
  const approverToken = async (): Promise<string> => (await newSession(approver.userId)).token
  /** A batch of the business that waits for the approver, by its names as a batch and as an approval. */
  const waitingBatch = async (actor: Actor, dice: Dice): Promise<Wanted> => {
    const places = await drafted(actor, dice)
    const { id } = places['batches/id']!
    const { status, body } = await app.call('POST', `/v1/payout-batches/${id}/submit`, { key: actor.belongings.key, body: {} })
    assert.equal(status, 200, JSON.stringify(body))
    return { token: await approverToken(), places: { ...places, 'approvals/id': { id, prefix: 'pb' } } }
  }
  /** An invitation to a business; one person is invited again and again. */
  const invited = async (businessId: string): Promise<{ id: string; token: string }> => {
    const [id, token] = [newId(), hex(32)]
    await run('delete from members where merchant_id = $1 and (user_id = $2 or email = $3)', [
      uuid('biz', businessId),
      uuid('usr', forgetful.userId),
      forgetful.email,
    ])
    await run(
      `insert into members (id, merchant_id, role, email, token_hash, invitation_expires_at, invited_by)
       select $1, id, 'cashier', $3, $4, clock_now() + interval '1 day', user_id from merchants where id = $2`,
      [id, uuid('biz', businessId), forgetful.email, hashOf(token)],
    )
    return { id: toWire('mem', id), token }
  }
  const withoutRule = async (): Promise<void> => {
    await run(`delete from approval_votes v using approval_requests r where r.id = v.request_id and r.kind = 'rule_change'`)
    await run(`delete from approval_requests where kind = 'rule_change'`)
    await run('delete from approval_rules')
  }
  const refundable = async ({ belongings }: Actor, dice: Dice): Promise<Places> => {
    const { status, body } = await app.checkout(belongings.slug, { phone_number: digits(dice, '789') })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
    return { reference: { id: body.data.reference, prefix: 'pay' } }
  }
  const refunded = async (actor: Actor, dice: Dice): Promise<Places> => {
    const { status, body } = await app.call('POST', `/v1/payments/${(await refundable(actor, dice))['reference']!.id}/refunds`, {
      key: actor.belongings.key,
      headers: { 'idempotency-key': hex(8) },
    })
    assert.equal(status, 201, JSON.stringify(body))
    return { 'refunds/id': { id: body.data.id, prefix: 'rf' } }
  }
  const submitAgain = async (who: 'person' | 'business'): Promise<void> => {
    const submit = () =>
      who === 'person'
        ? app.call('POST', '/v1/kyc', {
            token: applicant.token,
            body: { national_id_number: '20030517-12345-00001-23', date_of_birth: '2003-05-17', ...kycUrls },
          })
        : submitBusiness(app, owner, applying.id, applyingUrls)
    applicant.token = (await newSession(applicant.userId)).token
    owner.token = await ownToken()
    if ((await submit()).status === 200) return
    // Verified by the previous request: revoked first.
    const decision = { status: 'rejected', reason: 'Tena' }
    const token = await operatorToken()
    if (who === 'person') await ask('POST', `/v1/admin/kyc/${applicant.userId}/verify`, token, decision)
    else assert.equal((await decideBusiness(app, { token }, applying.id, decision)).status, 200)
    assert.equal((await submit()).status, 200)
  }
  const mailedToken = async (user: Student, purpose: MailedPurpose): Promise<string> => {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const [hash] = hashesOfMailedCode(app.config.keys, { userId: uuid('usr', user.userId), purpose }, code)
    await run(
      `insert into mailed_tokens (token_hash, user_id, purpose, email, expires_at) values ($1, $2, $3, $4, clock_now() + interval '1 hour') on conflict do nothing`,
      [hash, uuid('usr', user.userId), purpose, user.email],
    )
    return code
  }
  const withoutFactor = async (): Promise<string> => {
    await run('delete from recovery_codes where user_id = $1', [uuid('usr', cautious.userId)])
    await run('delete from second_factors where user_id = $1', [uuid('usr', cautious.userId)])
    return (await newSession(cautious.userId)).token
  }
  const withFactor = async (): Promise<{ token: string; secret: string; codes: string[] }> => {
    const token = await withoutFactor()
    const { secret } = await ask('POST', '/v1/auth/2fa/enroll', token, {})
    const confirmed = await ask('POST', '/v1/auth/2fa/confirm', token, { code: codeNow(secret) })
    return { token, secret, codes: confirmed.recovery_codes }
  }
  const adminSession = (of: Admin): Promise<string> => newSession(of.userId).then(({ token }) => token)
  const suspension = (table: 'merchants' | 'payment_pages', id: string, isOn: boolean) =>
    run(
      `update ${table} set suspended_at = ${isOn ? 'clock_now()' : 'null'}, suspension_reason = ${isOn ? `'Ukaguzi'` : 'null'} where id = $1`,
      [id],
    )
  const victimMerchant: Places = { merchant_id: { id: victim.businessId, prefix: 'biz' } }
  const victimPage: Places = { page_id: { id: victim.own.pageId, prefix: 'page' } }
  let refreshToken = owner.refreshToken
  const nameOfPage = (actor: Actor): Places => ({ id_or_slug: { id: spare.get(actor.belongings)!, prefix: 'page' } })
  const payoutBody = (dice: Dice): Wanted => ({
    body: { amount: dice.between(5000, 9000), phone_number: digits(dice, '002'), idempotency_key: undefined },
    headers: { 'idempotency-key': hex(8) },
  })

  const logo = await drawLogo()
  const logosForAll = () =>
    run(
      `insert into merchant_brands (merchant_id, logo, logo_type, logo_width, logo_height, logo_sha256, changed_by)
       select id, $1, 'image/png', 160, 160, sha256($1::bytea), 'system' from merchants
       on conflict (merchant_id) do update set logo = excluded.logo, logo_type = excluded.logo_type, logo_width = excluded.logo_width,
         logo_height = excluded.logo_height, logo_sha256 = excluded.logo_sha256`,
      [logo],
    )

  const batchBody = (dice: Dice): Wanted => ({
    body: { items: [{ amount: dice.between(5000, 9000), phone_number: digits(dice, '004'), recipient_name: 'Asha Mushi' }] },
    headers: { 'idempotency-key': hex(8) },
  })

  const wantedBy: Fixtures['wantedBy'] = {
    register: () => ({ body: { student_id: hex(5), institution: 'Chuo Kikuu cha Dar es Salaam', invitation_token: undefined } }),
    removeMember: async () => ({ places: { member_id: { id: (await invited(owner.businessId)).id, prefix: 'mem' } } }),
    readInvitation: async () => ({ body: { token: (await invited(owner.businessId)).token } }),
    acceptInvitation: async () => {
      await verifyEmail(app, forgetful.email)
      return {
        token: (await newSession(forgetful.userId)).token,
        body: { token: (await invited(owner.businessId)).token },
      }
    },
    setApprovalRule: async () => {
      await withoutRule()
      return {}
    },
    removeApprovalRule: async () => {
      await withoutRule()
      await run(
        `insert into approval_rules (home, merchant_id, environment, above, approvers, set_by)
         select home, id, 'test', 0, 1, user_id from merchants where id = $1`,
        [uuid('biz', owner.businessId)],
      )
      return {}
    },
    signIn: () => ({ body: { identifier: owner.email, password: owner.password } }),
    refreshSession: () => ({ body: { refresh_token: refreshToken } }),
    signOut: async () => ({ token: (await newSession(owner.userId)).token }),
    endOtherSessions: async () => ({ token: (await newSession(owner.userId)).token }),
    // Uses a separate session: an address without a name ends all other sessions of the person.
    endSession: async () => ({
      token: (await newSession(owner.userId)).token,
      places: { 'sessions/id': { id: (await newSession(owner.userId)).id, prefix: 'ses' } },
    }),
    updateMe: () => ({ body: { full_name: undefined } }),
    enrollSecondFactor: async () => ({ token: await withoutFactor() }),
    confirmSecondFactor: async () => {
      const token = await withoutFactor()
      const { secret } = await ask('POST', '/v1/auth/2fa/enroll', token, {})
      return { token, body: { code: codeNow(secret) } }
    },
    disableSecondFactor: async () => {
      const { token, codes } = await withFactor()
      return { token, body: { code: codes[0] } }
    },
    verifySecondFactor: async () => {
      const { codes } = await withFactor()
      const token = hex(32)
      await run(
        `insert into sign_in_challenges (token_hash, user_id, expires_at) values ($1, $2, clock_now() + interval '1 minute')`,
        [hashOf(token), uuid('usr', cautious.userId)],
      )
      return { body: { challenge_token: token, code: codes[1] } }
    },
    stepUp: async () => {
      await run('delete from second_factors where user_id = $1', [uuid('usr', owner.userId)])
      return { body: { code: undefined, password: owner.password } }
    },
    changePassword: async () => {
      // Resets the password to a value that no caller has, whatever the previous request changed; otherwise a caller could change
      // its own.
      const id = uuid('usr', cautious.userId)
      await run('update users set password_hash = o.password_hash from users o where users.id = $1 and o.id = $2', [
        id,
        uuid('usr', applicant.userId),
      ])
      return { token: await withoutFactor(), body: { current_password: applicant.password } }
    },
    resetPassword: async () => ({
      body: { email: forgetful.email, code: await mailedToken(forgetful, 'password_reset') },
    }),
    verifyEmail: async () => ({
      token: (await newSession(forgetful.userId)).token,
      body: { code: await mailedToken(forgetful, 'email_verification') },
    }),
    // Removes earlier changes, which limit the number of requests.
    requestContactChange: async () => {
      await run('delete from mailed_tokens where user_id = $1', [uuid('usr', cautious.userId)])
      return { token: await withoutFactor(), body: { phone_number: undefined, email: `${hex(8)}@example.com` } }
    },
    // Sets the address that the person has: other operations sign in with it.
    confirmContactChange: async () => {
      await run('delete from mailed_tokens where user_id = $1', [uuid('usr', forgetful.userId)])
      return {
        token: (await newSession(forgetful.userId)).token,
        body: { code: await mailedToken(forgetful, 'contact_change') },
      }
    },
    resendEmailVerification: async () => {
      await run('delete from mailed_tokens where user_id = $1', [uuid('usr', cautious.userId)])
      return { token: await withoutFactor() }
    },
    createApp: (_actor, dice) => ({ body: { business_id: dice.chance(0.5) ? owner.businessId : undefined } }),
    deleteApp: async () => {
      const { id } = await ask('POST', '/developers/apps', await ownToken(), { name: 'Ya muda', environment: 'test' })
      return { places: { 'apps/id': { id, prefix: 'app' } } }
    },
    createKey: () => ({ body: { app_id: owner.own.appId, environment: undefined } }),
    updateKey: async () => ({ places: { 'keys/id': await newKey() } }),
    rollKey: async () => ({ places: { 'keys/id': await newKey() } }),
    revokeKey: async () => ({ places: { 'keys/id': await newKey() } }),
    deleteWebhook: async () => {
      const token = await ownToken()
      const { id } = await ask('POST', '/developers/apps', token, { name: 'Ya muda', environment: 'test' })
      await ask('POST', `/developers/apps/${id}/webhook`, token, { url: 'http://127.0.0.1:9001/hook' })
      return { places: { app_id: { id, prefix: 'app' } } }
    },
    replayWebhookEvents: () => ({ body: { from: later(-hour), to: later(0) } }),
    updateBusiness: () => ({ places: { business_id: { id: draft.id, prefix: 'biz' } } }),
    presignBusinessDocument: () => ({ places: { business_id: { id: draft.id, prefix: 'biz' } } }),
    submitBusinessDocuments: () => ({ places: { business_id: { id: draft.id, prefix: 'biz' } }, body: draftUrls }),
    decideBusiness: async (_actor, dice) => {
      await submitAgain('business')
      return { places: { business_id: { id: applying.id, prefix: 'biz' } }, body: decision(dice) }
    },
    presignKycDocument: async () => ({ token: (await newSession(applicant.userId)).token }),
    submitKyc: async () => {
      await submitAgain('person')
      return { token: (await newSession(applicant.userId)).token, body: kycUrls }
    },
    decideKyc: async (_actor, dice) => {
      await submitAgain('person')
      return { places: { user_id: { id: applicant.userId, prefix: 'usr' } }, body: decision(dice) }
    },
    getKycCase: () => ({ places: { user_id: { id: applicant.userId, prefix: 'usr' } } }),
    viewKycDocument: async (_actor, dice) => ({
      places: {
        user_id: { id: applicant.userId, prefix: 'usr' },
        purpose: { id: dice.pick(['national_id', 'student_id_card', 'selfie']) },
      },
    }),
    viewOwnKycDocument: async (_actor, dice) => ({
      token: (await newSession(applicant.userId)).token,
      places: { purpose: { id: dice.pick(['national_id', 'student_id_card', 'selfie']) } },
    }),
    claimReview: async (_actor, dice) => {
      await submitAgain('person')
      return {
        places: { merchant_id: { id: applicant.userId, prefix: 'usr' } },
        body: { reviewer_id: dice.chance(0.5) ? otherAdmin.userId : undefined },
      }
    },
    registerRedirectHost: (_actor, dice) => ({ body: { host: `${dice.word(12)}.example.com` } }),
    removeRedirectHost: async (actor) => {
      const host = `${hex(6)}.example.com`
      await run(
        `insert into redirect_hosts (merchant_id, environment, host, token)
         select id, e, $2, 'neno' from merchants, unnest(array['test', 'live']) e where id = $1`,
        [uuid(actor.belongings.businessId === undefined ? 'usr' : 'biz', actor.belongings.businessId ?? owner.userId), host],
      )
      return { query: { host } }
    },
    savePaymentFilter: newFilter('payments'),
    savePayoutFilter: newFilter('payouts'),
    deleteSavedPaymentFilter: someFilter('payments'),
    deleteSavedPayoutFilter: someFilter('payouts'),
    deleteRecipient: newRecipient,
    deleteMerchantRecipient: newRecipient,
    createPaymentPage: (_actor, dice) => pageBody(dice, { type: dice.pick(['payment', 'donation']) }),
    createMerchantPaymentPage: (_actor, dice) => pageBody(dice, { type: dice.pick(['payment', 'donation']) }),
    previewMerchantPaymentPage: (_actor, dice) => pageBody(dice),
    updatePaymentPage: (actor, dice) => ({ ...pageBody(dice), places: nameOfPage(actor) }),
    updateMerchantPaymentPage: (actor, dice) => ({ ...pageBody(dice), places: nameOfPage(actor) }),
    updatePaymentPageByBody: (actor, dice) => pageBody(dice, { id: spare.get(actor.belongings), slug: undefined }),
    updateMerchantPaymentPageByBody: (actor, dice) => pageBody(dice, { id: spare.get(actor.belongings), slug: undefined }),
    startCheckout: (actor, dice) => ({
      body: {
        slug: actor.belongings.slug,
        amount: dice.chance(0.5) ? 90_000 : undefined,
        currency: dice.chance(0.5) ? 'TZS' : undefined,
        network: undefined,
        phone_number: digits(dice, dice.pick(['789', '049', '000'])),
        idempotency_key: hex(8),
      },
    }),
    createPayment: (_actor, dice) => ({
      body: {
        amount: dice.between(500, 9000),
        currency: dice.chance(0.5) ? 'TZS' : undefined,
        network: undefined,
        phone_number: digits(dice, dice.pick(['789', '049', '000'])),
      },
      headers: { 'idempotency-key': hex(8) },
    }),
    resendPrompt: async (_actor, dice) => {
      const { reference, checkout_token } = await openCheckout(dice)
      await run(`update provider_charges set claimed_at = claimed_at - interval '2 minutes' where payment_id = $1`, [
        uuid('pay', reference),
      ])
      return { places: { reference: { id: reference, prefix: 'pay' } }, body: { checkout_token } }
    },
    answerTestPrompt: async ({ belongings }, dice) => {
      const { status, body } = await app.checkout(belongings.slug, { phone_number: digits(dice, '000') })
      assert.equal(status, 201, JSON.stringify(body))
      await app.deps.backgroundDone()
      return {
        places: { reference: { id: body.data.reference, prefix: 'pay' } },
        body: { action: dice.pick(['approve', 'wrong_pin', 'insufficient', 'cancel']) },
      }
    },
    cancelPayment: async (_actor, dice) => {
      const { reference, checkout_token } = await openCheckout(dice)
      return { places: { reference: { id: reference, prefix: 'pay' } }, body: { checkout_token } }
    },
    createPayout: (_actor, dice) => payoutBody(dice),
    createMerchantPayout: (_actor, dice) => payoutBody(dice),
    createPayoutBatch: (_actor, dice) => batchBody(dice),
    createMerchantPayoutBatch: (_actor, dice) => batchBody(dice),
    changePayoutBatchItem: async (actor, dice) => ({ places: await drafted(actor, dice), body: { removed: undefined } }),
    changeMerchantPayoutBatchItem: async (actor, dice) => ({ places: await drafted(actor, dice), body: { removed: undefined } }),
    deletePayoutBatch: async (actor, dice) => ({ places: await drafted(actor, dice) }),
    deleteMerchantPayoutBatch: async (actor, dice) => ({ places: await drafted(actor, dice) }),
    approveMerchantPayoutBatch: async (actor, dice) => ({ places: await drafted(actor, dice) }),
    submitPayoutBatch: async (actor, dice) => ({ places: await drafted(actor, dice) }),
    submitMerchantPayoutBatch: async (actor, dice) => ({ places: await drafted(actor, dice) }),
    refuseMerchantPayoutBatch: waitingBatch,
    approveApproval: waitingBatch,
    refuseApproval: waitingBatch,
    stopPayoutBatch: async (actor, dice) => ({ places: await runningBatch(actor, dice) }),
    stopMerchantPayoutBatch: async (actor, dice) => ({ places: await runningBatch(actor, dice) }),
    cancelPayout: async (actor, dice) => ({ places: await paidOut(actor, dice) }),
    createRefund: async (actor, dice) => ({
      places: await refundable(actor, dice),
      body: { amount: undefined },
      headers: { 'idempotency-key': hex(8) },
    }),
    createMerchantRefund: async (actor, dice) => ({
      places: await refundable(actor, dice),
      body: { amount: undefined },
      headers: { 'idempotency-key': hex(8) },
    }),
    cancelRefund: async (actor, dice) => ({ places: await refunded(actor, dice) }),
    cancelMerchantRefund: async (actor, dice) => ({ places: await refunded(actor, dice) }),
    cancelMerchantPayout: async (actor, dice) => ({ places: await paidOut(actor, dice) }),
    approvePayout: async (actor, dice) => ({ places: await paidOut(actor, dice) }),
    refusePayout: async (actor, dice) => ({ places: await paidOut(actor, dice) }),
    proposeResolution: () => ({ body: { resolution: 'already_settled' } }),
    confirmResolution: async () => {
      if (!breakToConfirm.isOpen) breakToConfirm.id = await openBreakOf(app, owner.ofBusiness.reference)
      breakToConfirm.isOpen = true
      const proposal = { resolution: 'already_settled', note: 'Barua' }
      const proposed = await ask(
        'POST',
        `/v1/admin/breaks/${breakToConfirm.id}/propose`,
        await adminSession(otherAdmin),
        proposal,
      )
      return {
        places: { break_id: { id: breakToConfirm.id, prefix: 'brk' } },
        body: { resolution: 'already_settled', proposed_at: proposed.proposal.proposed_at },
      }
    },
    getSupportCase: async () => ({
      places: { case_id: { id: await openCaseOf(app, owner.own.reference), prefix: 'case' } },
    }),
    closeSupportCase: async () => ({
      places: { case_id: { id: await openCaseOf(app, owner.own.reference), prefix: 'case' } },
      body: { decision: 'other', note: 'Barua' },
    }),
    startReconciliationRun: (_actor, dice) => {
      const isDaily = dice.chance(0.5)
      return {
        body: {
          kind: isDaily ? 'daily' : 'recent',
          provider: 'snippe',
          day: isDaily ? `2026-0${dice.between(1, 9)}-${dice.between(10, 28)}` : undefined,
        },
      }
    },
    listReconciliationDays: (_actor, dice) => ({ query: { from: `2026-01-0${dice.between(1, 9)}`, to: '2026-02-20' } }),
    setBrandLogo: () => ({ body: { image: logo.toString('base64') } }),
    deleteBrandLogo: async () => {
      await logosForAll()
      return {}
    },
    removeMerchantLogo: async () => {
      await logosForAll()
      return { places: victimMerchant }
    },
    suspendMerchant: async () => {
      await suspension('merchants', uuid('biz', victim.businessId), false)
      return { places: victimMerchant }
    },
    unsuspendMerchant: async () => {
      await suspension('merchants', uuid('biz', victim.businessId), true)
      return { places: victimMerchant }
    },
    liftPayoutFreeze: async () => {
      const id = uuid('biz', victim.businessId)
      const { rows } = await app.owner.pool.query<{ home: number }>('select home from merchants where id = $1', [id])
      await freezeMerchantPayouts(app.db, { home: rows[0]!.home, id }, null, 'Ukaguzi')
      return { places: victimMerchant }
    },
    suspendPaymentPage: async () => {
      await suspension('payment_pages', uuid('page', victim.own.pageId), false)
      return { places: victimPage }
    },
    unsuspendPaymentPage: async () => {
      await suspension('payment_pages', uuid('page', victim.own.pageId), true)
      return { places: victimPage }
    },
    resendAdminEvent: () => ({ body: { app_id: undefined } }),
  }

  function decision(dice: Dice): Record<string, unknown> {
    return dice.chance(0.5)
      ? { status: 'verified', reason: undefined, reason_codes: undefined, version: undefined }
      : { status: 'rejected', reason: 'Picha haisomeki', version: undefined }
  }

  return {
    app,
    actors,
    person,
    business,
    operator,
    testKeys,
    keys,
    anonymous,
    owner,
    wantedBy,
    record(operationId, { status, body }) {
      if (operationId === 'refreshSession' && status === 200) refreshToken = body.data.refresh_token ?? refreshToken
      if (operationId === 'confirmResolution' && status === 200) breakToConfirm.isOpen = false
    },
    takeFaults: () => faultsOf(lines),
    async renew() {
      await run('delete from switches')
      await withoutRule()
      await run('delete from second_factors where user_id = $1', [uuid('usr', owner.userId)])
      owner.token = await ownToken()
    },
  }
}
