/** A live page sends payers only to a host that its merchant has proved to own. */
import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { makeOwners, type Owner } from '../../../test/attacks/objects.ts'
import { eventually, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { makeCertificate } from '../../../test/fixtures/certificate.ts'
import { systemClock } from '../../platform/clock.ts'
import { sql } from '../../platform/db/db.ts'
import { createEgress } from '../../platform/outbound/egress.ts'
import { createHostProver } from './prove-host.ts'
import { displayed } from './redirect-host.ts'
import { listStrayPages } from './redirect-host.sql.ts'

type Internet = { txt: Map<string, string>; files: Map<string, string>; port: number }

/** A production-like service with its own internet: name servers that answer from `txt`, and one web server for all names. */
async function startStrictApp(t: TestContext): Promise<{ app: TestApp; internet: Internet }> {
  const host = 'duka.example.com'
  const certificate = makeCertificate({ host, notBefore: Date.now() - 1000, notAfter: Date.now() + 3_600_000 })
  const internet: Internet = { txt: new Map(), files: new Map(), port: 0 }
  const server = createServer(certificate, (request, answer) => {
    const body = internet.files.get(`${request.headers.host}${request.url}`)
    answer.writeHead(body === undefined ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  internet.port = (server.address() as AddressInfo).port
  const resolver = async (): Promise<string[]> => ['127.0.0.1']
  const certificateAuthorities = [certificate.cert]
  const egress = createEgress({ clock: systemClock, allowPrivate: true, ownUrls: [], resolver, certificateAuthorities })
  const resolveTxt = async (name: string): Promise<string[][]> => {
    const value = internet.txt.get(name)
    // In two parts, as long records arrive.
    return value === undefined ? [] : [['v=spf1 -all'], [value.slice(0, 5), value.slice(5)]]
  }
  const app = await startTestApp(t, {
    settings: { REDIRECT_HOSTS: 'registered', POWER_NEEDS_STEP_UP: 'true' },
    wrap: (deps) => ({ ...deps, proveHost: createHostProver(egress, resolveTxt) }),
  })
  app.beforeClose(async () => {
    await egress.close()
    server.close()
    server.closeAllConnections()
  })
  return { app, internet }
}

const hosts = '/v1/merchant/redirect-hosts'
const register = (app: TestApp, { token }: Student, host: string, environment = 'live') =>
  app.call('POST', `${hosts}?environment=${environment}`, { token, body: { host } })
const makePage = async (app: TestApp, { token }: Student, redirect_url: string, environment = 'live') =>
  app.call('POST', `/v1/merchant/payment-pages?environment=${environment}`, {
    token,
    body: { type: 'payment', title: 'Chai', amount: 1500, redirect_url },
  })

test('[A90] a live page sends payers only to a host that is proved by DNS or by a file', async (t) => {
  const { app, internet } = await startStrictApp(t)
  const [asha, stranger] = [await app.student(), await app.student()]
  const refused = await makePage(app, asha, 'https://duka.example.com/asante')
  assert.deepEqual([refused.status, refused.body.error.errors[0].code], [400, 'host_not_registered'])

  const { status, body } = await register(app, asha, 'duka.example.com')
  assert.deepEqual([status, body.data.status], [200, 'pending'])
  assert.equal((await makePage(app, asha, 'https://duka.example.com/asante')).status, 400)
  internet.txt.set(body.data.proof.dns_name, 'malipo-host=of-another-merchant')
  assert.equal((await register(app, asha, 'duka.example.com')).body.data.status, 'pending')
  internet.txt.set(body.data.proof.dns_name, body.data.proof.value)
  assert.equal((await register(app, asha, 'Duka.Example.com')).body.data.proved_by, 'dns')
  assert.equal((await makePage(app, asha, 'https://duka.example.com/asante')).status, 201)

  // This does not prove the name for another merchant, and another port or subdomain is another host.
  assert.equal((await register(app, stranger, 'duka.example.com')).body.data.status, 'pending')
  for (const url of ['https://duka.example.com:8443/', 'https://a.duka.example.com/', 'https://example.com/'])
    assert.equal((await makePage(app, asha, url)).status, 400, url)

  const withPort = `duka.example.com:${internet.port}`
  const { proof } = (await register(app, asha, withPort)).body.data
  internet.txt.clear()
  internet.files.set(proof.file_url.replace('https://', ''), `${proof.value}\n`)
  assert.equal((await register(app, asha, withPort)).body.data.proved_by, 'file')
  assert.equal((await makePage(app, asha, `https://${withPort}/asante`)).status, 201)
})

test('[A90] addresses in numbers, scripts, and names in mixed letters are refused; decoded names are shown', async (t) => {
  const { app } = await startStrictApp(t)
  const asha = await app.student()
  const bad = [
    '1.2.3.4',
    '0x7f.1',
    'javascript:alert(1)',
    'p\u0430ypal.example',
    'xn--pypal-4ve.example',
    'a@b.example',
    'b.example/x',
    '\u006d\u2010pesa.example',
  ]
  for (const host of bad) assert.equal((await register(app, asha, host)).status, 400, host)
  for (const url of ['https://1.2.3.4/', 'javascript:alert(1)', 'https://xn--pypal-4ve.example/'])
    assert.equal((await makePage(app, asha, url, 'test')).status, 400, url)
  assert.equal(displayed('xn--bcher-kva.example:8443'), 'bücher.example:8443')
  assert.equal((await register(app, asha, 'xn--bcher-kva.example')).body.data.displayed, 'bücher.example')
})

test('a stale session registers no live host; in the test environment no proof is needed', async (t) => {
  const { app } = await startStrictApp(t)
  const asha = await app.student()
  await app.owner.pool.query(`update sessions set authenticated_at = clock_now() - interval '16 minutes'`)
  const refused = await register(app, asha, 'duka.example.com')
  assert.deepEqual([refused.status, refused.body.error.code], [401, 'step_up_required'])
  const removed = await app.call('DELETE', `${hosts}?environment=live&host=duka.example.com`, { token: asha.token })
  assert.equal(removed.status, 401)
  assert.equal((await register(app, asha, 'duka.example.com', 'test')).body.data.proved_by, 'not_needed')
  assert.equal((await makePage(app, asha, 'https://whatever.example/asante', 'test')).status, 201)
})

test('a page keeps its host, also after the host is removed, and operators find it', async (t) => {
  const { app, internet } = await startStrictApp(t)
  const asha = await app.student()
  const { proof } = (await register(app, asha, 'duka.example.com')).body.data
  internet.txt.set(proof.dns_name, proof.value)
  await register(app, asha, 'duka.example.com')
  const { body } = await makePage(app, asha, 'https://duka.example.com/asante')
  assert.deepEqual(await listStrayPages(app.db, 10), [])
  assert.equal((await app.call('GET', `${hosts}?environment=live`, { token: asha.token })).body.data.length, 1)
  const at = `${hosts}?environment=live&host=duka.example.com`
  assert.equal((await app.call('DELETE', at, { token: asha.token })).status, 200)
  assert.equal((await app.call('DELETE', at, { token: asha.token })).status, 404)
  assert.deepEqual(
    (await listStrayPages(app.db, 10)).map(({ slug, host }) => [slug, host]),
    [[body.data.slug, 'duka.example.com']],
  )
  const change = (fields: object) =>
    app.call('PATCH', `/v1/merchant/payment-pages/${body.data.id}?environment=live`, { token: asha.token, body: fields })
  assert.equal((await change({ title: 'Kahawa' })).status, 200)
  assert.equal((await change({ redirect_url: 'https://duka.example.com/karibu' })).status, 200)
  assert.equal((await change({ redirect_url: 'https://other.example.com/' })).status, 400)
})

test('the website of a verified business counts as its host', async (t) => {
  const { app } = await startStrictApp(t)
  const [asha] = (await makeOwners(t, app, 1)) as [Owner]
  const id = asha.businessId
  await app.owner.pool.query(`update businesses set website = 'https://mwenge.example.com/kuhusu'`)
  const makeOne = (redirect_url: string) =>
    app.call('POST', `/v1/merchant/payment-pages?environment=live&business_id=${id}`, {
      token: asha.token,
      body: { type: 'payment', title: 'Chai', amount: 1500, redirect_url },
    })
  assert.equal((await makeOne('https://mwenge.example.com/asante')).status, 201)
  assert.equal((await makeOne('https://other.example.com/asante')).status, 400)
})

test('a merchant registers twenty hosts, also when two are registered at the same time', async (t) => {
  const { app } = await startStrictApp(t)
  const asha = await app.student()
  for (let turn = 1; turn < 20; turn += 1)
    assert.equal((await register(app, asha, `duka${turn}.example.com`, 'test')).status, 200)
  const { answers } = await app.owner.tx(async (tx) => {
    await tx.rows(sql`select from merchants for update`)
    const answers = Promise.all(['mbili', 'tatu'].map((name) => register(app, asha, `${name}.example.com`, 'test')))
    await eventually('both wait for the merchant', async () => {
      const { rows } = await app.owner.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length >= 2
    })
    return { answers }
  })
  const codes = (await answers).map(({ status, body }) => String(body.error?.code ?? status))
  assert.deepEqual(codes.toSorted(), ['200', 'too_many_hosts'])
  assert.equal((await app.call('GET', `${hosts}?environment=test`, { token: asha.token })).body.data.length, 20)
})
