/** Emergency commands work at once, notify the owner, and are recorded in the audit log. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { codeNow, startTestApp } from '../../../test/app.ts'
import { ask, short } from '../../../test/fixtures/payouts.ts'
import { newMember, verifiedBusiness } from '../../../test/members.ts'
import { listEntries } from '../../base/audit/audit.sql.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { runCommand, UsageError } from '../../platform/process/commands.ts'
import { emergencyCommands } from './emergency-commands.ts'

const table = { program: 'ops', commands: emergencyCommands }

async function openMachine(t: TestContext) {
  const app = await startTestApp(t)

  /** Runs a command with a line of standard input; returns its output. */
  async function ops(words: string, typed = ''): Promise<string> {
    const said: string[] = []
    const open = async () => ({ config: app.config, db: app.db })
    await runCommand(table, words.split(' '), { open, print: (line) => void said.push(line), ask: async () => typed })
    return said.join('\n')
  }
  const refused = (words: string, code: string, typed = '') =>
    assert.rejects(ops(words, typed), (error: { code?: string }) => error.code === code, words)
  const auditOf = (object: string) => listEntries(app.owner, { beforeSeq: null, object, actor: null, action: null, limit: 10 })
  const mailsTo = async (email: string): Promise<string[]> =>
    (await app.owner.rows<{ kind: string }>(sql`select kind from mails where recipient = ${email} order by id`)).map(
      ({ kind }) => kind,
    )
  const balance = (key: string) => app.call('GET', '/v1/balance', { key })
  return { app, ops, refused, auditOf, mailsTo, balance }
}

test('a leaked key is found by its value and revoked, alone or with all keys of its app, and the owner gets a mail', async (t) => {
  const { app, ops, refused, auditOf, mailsTo, balance } = await openMachine(t)
  const student = await app.student()
  const { appId, keyId, key } = await app.key(student)
  const second = await app.call('POST', '/developers/keys', {
    token: student.token,
    body: { app_id: appId, key_name: 'second', scopes: ['balance:read'] },
  })
  const found = await ops('key find', key)
  for (const part of [keyId, appId, student.userId, 'works']) assert.ok(found.includes(part), found)
  assert.ok(!found.includes(key))
  await refused('key find', 'validation_error', key.slice(0, -1))

  assert.match(await ops(`key revoke ${keyId}`), /is revoked/)
  assert.equal((await balance(key)).body.error.code, 'api_key_revoked')
  assert.equal((await balance(second.body.data.key)).status, 200)
  assert.match(await ops('key find', key), /revoked/)
  await refused(`key revoke ${keyId}`, 'not_found')
  const [entry] = await auditOf(keyId)
  assert.deepEqual([entry!.action, entry!.actor, entry!.after], ['key.revoked', 'ops', { leaked: true }])

  await ops(`key revoke ${appId}`)
  assert.equal((await balance(second.body.data.key)).body.error.code, 'api_key_revoked')
  assert.equal((await mailsTo(student.email)).filter((kind) => kind === 'key_revoked').length, 2)
})

test('a leaked webhook secret is replaced for its owner, and the old one signs beside it for a day', async (t) => {
  const { app, ops, refused, auditOf, mailsTo } = await openMachine(t)
  const student = await app.student()
  const { appId } = await app.key(student)
  const url = 'http://127.0.0.1:4000/hook'
  await refused(`webhook rotate ${appId}`, 'not_found')
  const before = await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  assert.equal(before.status, 201)
  await ops(`webhook rotate ${appId}`)
  const after = await app.call('GET', `/developers/apps/${appId}/webhook`, { token: student.token })
  assert.notEqual(after.body.data.secret, before.body.data.secret)
  const entries = await auditOf(before.body.data.id)
  assert.ok(entries.some(({ action, actor }) => action === 'webhook.secret_rotated' && actor === 'ops'))
  assert.ok((await mailsTo(student.email)).includes('webhook_secret_rotated'))
})

test('a disabled account has no session, password or personal key left; after it is enabled it needs a new password', async (t) => {
  const { app, ops, refused, auditOf, mailsTo, balance } = await openMachine(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const signIn = () => app.call('POST', '/v1/auth/login', { body: { identifier: student.email, password: student.password } })
  const refresh = () => app.call('POST', '/v1/auth/refresh', { body: { refresh_token: student.refreshToken } })
  assert.match(await ops(`account disable ${student.email.toUpperCase()}`), /1 sessions have ended/)
  assert.equal((await refresh()).body.error.code, 'session_inactive')
  assert.equal((await balance(key)).body.error.code, 'api_key_revoked')
  assert.equal((await signIn()).body.error.code, 'invalid_credentials')
  await refused(`account disable ${student.email}`, 'invalid_state')
  await refused('account disable unknown@example.com', 'not_found')

  await ops(`account enable ${student.email}`)
  assert.equal((await balance(key)).status, 200)
  assert.equal((await signIn()).body.error.code, 'invalid_credentials')
  assert.equal((await refresh()).body.error.code, 'session_inactive')
  const actions = (await auditOf(student.userId)).map(({ action }) => action)
  assert.ok(actions.includes('account.disabled') && actions.includes('account.enabled'))
  const kinds = await mailsTo(student.email)
  assert.ok(kinds.includes('account_disabled') && kinds.includes('account_enabled'))
})

test('a business key that a disabled person made a few days ago makes no payouts until another owner or admin grants it; older keys go on', async (t) => {
  const { app, ops, auditOf, mailsTo, balance } = await openMachine(t)
  const [owner, admin] = [await app.student(), await app.admin()]
  const businessId = await verifiedBusiness(app, owner, admin)
  const partner = await newMember(app, owner, businessId, 'admin')
  const live = await app.call('POST', '/developers/apps', {
    token: owner.token,
    body: { name: 'Duka', environment: 'live', business_id: businessId },
  })
  const make = async (key_name: string, scopes: string[]): Promise<{ id: string; key: string }> =>
    (await app.call('POST', '/developers/keys', { token: owner.token, body: { app_id: live.body.data.id, key_name, scopes } }))
      .body.data
  const [old, fresh, reader] = [
    await make('old', ['payouts:write']),
    await make('fresh', ['payouts:write', 'balance:read']),
    await make('reader', ['balance:read']),
  ]
  await app.owner.pool.query(`update api_keys set created_at = created_at - interval '8 days' where id = $1`, [
    fromWire('key', old.id),
  ])
  const pay = async ({ key }: { key: string }) => short(await ask(app, key))
  const before = (await mailsTo(owner.email)).length

  const said = await ops(`account disable ${owner.email}`)
  for (const { id } of [old, fresh, reader]) assert.ok(said.includes(`malipo-ops key revoke ${id}`), said)
  assert.match(said, /"fresh" .+ makes no payouts until/)
  assert.match(said, /"old" .+ works on/)
  assert.equal(await pay(fresh), '403 insufficient_scope')
  assert.equal(await pay(old), '402 insufficient_balance', 'the key of a server that pays already')
  assert.equal((await balance(fresh.key)).status, 200, 'its other scopes work')
  assert.deepEqual((await auditOf(fresh.id)).map(({ action, actor }) => [action, actor])[0], ['key.paused', 'ops'])
  assert.ok((await mailsTo(owner.email)).length > before)

  const grant = await app.call('POST', `/developers/keys/${fresh.id}/grant`, { token: partner.token, body: {} })
  assert.equal(short(grant), '200')
  assert.equal(await pay(fresh), '402 insufficient_balance')
})

test('an operator gets a new second factor only with a code of another operator', async (t) => {
  const { app, ops, refused, auditOf, mailsTo } = await openMachine(t)
  const [lost, other, student] = [await app.admin(), await app.admin(), await app.student()]
  const reset = `admin reset-factor ${lost.email} --witness`
  await refused(`${reset} ${lost.email}`, 'invalid_state', lost.recoveryCodes[0])
  await refused(`${reset} ${student.email}`, 'invalid_state', '123456')
  await refused(`admin reset-factor ${student.email} --witness ${other.email}`, 'invalid_state', other.recoveryCodes[0])
  await refused(`${reset} ${other.email}`, 'invalid_code', '000000')
  const overview = () => app.call('GET', '/v1/admin/switches', { token: lost.token })
  assert.equal((await overview()).status, 200)

  const said = await ops(`${reset} ${other.email}`, other.recoveryCodes[1])
  await refused(`${reset} ${other.email}`, 'invalid_code', other.recoveryCodes[1])
  assert.equal((await overview()).body.error.code, 'session_inactive')
  const secret = /Secret\s+(\w+)/.exec(said)![1]!
  const login = await app.call('POST', '/v1/auth/login', { body: { identifier: lost.email, password: lost.password } })
  const body = { challenge_token: login.body.data.challenge_token }
  const withOld = await app.call('POST', '/v1/auth/2fa/verify', { body: { ...body, code: lost.recoveryCodes[0] } })
  assert.equal(withOld.body.error.code, 'invalid_code')
  const withNew = await app.call('POST', '/v1/auth/2fa/verify', { body: { ...body, code: codeNow(secret) } })
  assert.equal(withNew.status, 200)
  const [entry] = (await auditOf(lost.userId)).filter(({ action }) => action === 'admin.factor_reset')
  assert.deepEqual([entry!.actor, entry!.after], ['ops', { witness: other.userId, sessions_ended: 1 }])
  assert.ok((await mailsTo(lost.email)).includes('admin_factor_reset'))
  assert.ok((await mailsTo(other.email)).includes('admin_factor_witnessed'))
})

test('a command with missing or extra words gets its usage text before anything is opened', async () => {
  const unused = async () => assert.fail('nothing is opened for wrong words')
  const deps = { open: unused, print: unused, ask: unused }
  const complaintOf = (words: string): Promise<string> =>
    runCommand(table, words.split(' '), deps).then(
      () => assert.fail(words),
      (error: unknown) => {
        assert.ok(error instanceof UsageError, words)
        return error.message
      },
    )
  for (const words of [
    'key find svc_test_abc',
    'key revoke',
    'key revoke whd_00000000000000000000000000',
    'webhook rotate',
    'account disable',
    'admin reset-factor a@example.com',
    'admin reset-factor a@example.com --witness',
    'admin reset-factor a@example.com --by b@example.com',
    'second-step all maybe reason',
  ]) {
    const complaint = await complaintOf(words)
    assert.match(
      complaint,
      new RegExp(
        `^Usage: ops <command>\n\n  ${words
          .split(' ')
          .slice(0, words.startsWith('second') ? 1 : 2)
          .join(' ')} `,
      ),
    )
    assert.ok(complaint.split('\n').filter((line) => /^ {2}\w/.test(line)).length === 1, complaint)
  }
  assert.match(await complaintOf('admin reset-factor a@example.com --by b@example.com'), /Unknown option '--by'/)
  for (const words of ['key', 'account close a@example.com', 'unknown']) {
    const complaint = await complaintOf(words)
    for (const name of Object.keys(emergencyCommands)) assert.ok(complaint.includes(`\n  ${name} `), name)
  }
})
