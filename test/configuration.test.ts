/** Every setting is documented, and an unsafe or incomplete one stops the start with a message for the operator. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../server/config/config.ts'
import { ConfigError } from '../server/config/values.ts'
import { testSettings } from './app.ts'
import { mustMatch } from './must-match.ts'

const root = join(import.meta.dirname, '..')
const settings = testSettings(
  'postgresql://malipo@localhost/malipo',
  { api: 3000, checkout: 3001, storage: 3002 },
  'https://api.snippe.example',
)

const production = {
  ...Object.fromEntries(Object.entries(settings).filter(([key]) => !key.startsWith('CLICKPESA_'))),
  MALIPO_MODE: 'production',
  TRUSTED_PROXIES: '1',
  BASE_URL: 'https://api.malipo.example',
  CHECKOUT_BASE_URL: 'https://pay.malipo.example',
  STORAGE_URL: 'https://files.malipo.example',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false',
  SMTP_URL: 'smtps://malipo:secret@mail.malipo.example:465',
  MAIL_FROM: 'Malipo <malipo@malipo.example>',
  PROVIDER_CONTACT_EMAIL: 'payments@malipo.example',
  CLAMD_URL: 'none',
}

const refuses = (given: Record<string, string>, sentence: RegExp) =>
  assert.throws(
    () => loadConfig(given, {}),
    (error) =>
      error instanceof ConfigError && sentence.test(error.message) && !error.message.includes(settings['SERVER_SECRET']!),
  )

test('.env.example lists each key that config.ts reads, and no other', () => {
  const documented = [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^#?([A-Z_]+)=/gm)].map((match) => match[1]!)
  const read = new Set(
    globSync('server/config/*.ts', { cwd: root }).flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/^\s+([A-Z][A-Z_]+): /gm)].map((match) => match[1]!),
    ),
  )
  // One line of readLocalChoices contains the simulator's port, which the service itself does not read.
  read.add('SIMULATOR_PORT')
  mustMatch(read, documented, {
    add: (key) => `write #${key}= with its default and a line of why into .env.example`,
    remove: () => 'remove it from .env.example',
  })
})

/** The lines of a file, read by the rules of docker's --env-file: no quotes and no comments behind values. */
const asDocker = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** The same by the rules of EnvironmentFile (systemd.exec(5)): a comment has a line of its own, and quotes around a value are removed. */
const asSystemd = (text: string): Record<string, string> =>
  Object.fromEntries(Object.entries(asDocker(text)).map(([key, value]) => [key, value.trim().replace(/^(["'])(.*)\1$/, '$2')]))

function asShell(text: string): Record<string, string> {
  const program = `set -a; eval "$1"; exec "$2" -p 'JSON.stringify(process.env)'`
  return JSON.parse(execFileSync('/bin/sh', ['-euc', program, 'sh', text, process.execPath], { env: {}, encoding: 'utf8' }))
}

test('.env.example, filled in, gives one configuration to systemd, docker, a shell and SETTINGS_FILE', (t) => {
  const filled = readFileSync(join(root, '.env.example'), 'utf8').replaceAll(/^#?([A-Z_]+)=.*$/gm, (line, key: string) => {
    const value = (production as Record<string, string>)[key]
    return value === undefined ? line : `${key}=${value.includes(' ') ? `"${value}"` : value}`
  })
  const expected = loadConfig(production, {})
  assert.equal(expected.mail.from, 'Malipo <malipo@malipo.example>')
  for (const read of [asSystemd, asDocker, asShell]) assert.deepEqual(loadConfig({}, read(filled)), expected, read.name)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-settings-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'malipo.env')
  writeFileSync(path, filled, { mode: 0o600 })
  assert.deepEqual(loadConfig({}, { SETTINGS_FILE: path }), expected)
})

test('.env.example replaces nothing that a unit sets', () => {
  const assigned = Object.keys(asDocker(readFileSync(join(root, '.env.example'), 'utf8')))
  for (const unit of globSync('ops/systemd/*.service', { cwd: root })) {
    // EnvironmentFile wins over Environment, also with an empty value (systemd.exec(5)).
    const set = [...readFileSync(join(root, unit), 'utf8').matchAll(/^Environment=(.*)$/gm)]
      .flatMap(([, line]) => line!.split(' '))
      .map((pair) => pair.slice(0, pair.indexOf('=')))
    assert.deepEqual(
      assigned.filter((key) => set.includes(key)),
      [],
      unit,
    )
  }
})

test('.env.example as it is names every setting that production needs, in one go', () => {
  const example = asShell(readFileSync(join(root, '.env.example'), 'utf8'))
  assert.throws(
    () => loadConfig({}, example),
    (error) => {
      assert.ok(error instanceof ConfigError)
      const named = [...error.message.matchAll(/^ {2}([A-Z_]+): is not set/gm)].map(([, key]) => key!)
      assert.deepEqual(error.message.split('\n').length - 1, named.length, error.message)
      // With exactly these, it starts.
      const given = Object.entries(production).filter(([key]) => named.includes(key))
      assert.equal(loadConfig({}, { ...example, ...Object.fromEntries(given) }).mode, 'production')
      return true
    },
  )
})

test('production needs an address for a provider that demands one; a local start has the address of its mails', () => {
  const { PROVIDER_CONTACT_EMAIL: own, ...without } = production
  assert.equal(loadConfig(production, {}).providerContactEmail, own)
  refuses(without, /PROVIDER_CONTACT_EMAIL: is not set: your own address, which snippe gets/)
  refuses({ ...production, PROVIDER_CONTACT_EMAIL: 'payments' }, /PROVIDER_CONTACT_EMAIL: use one e-mail address/)
  refuses({ ...production, PROVIDER_CONTACT_EMAIL: 'a@malipo.example,b@malipo.example' }, /PROVIDER_CONTACT_EMAIL/)
  assert.match(loadConfig(settings, {}).providerContactEmail, /@/)
  // ClickPesa demands none.
  const clickpesa = { CHARGE_PROVIDER_TEST: 'clickpesa', CHARGE_PROVIDER_LIVE: 'clickpesa' }
  const account = Object.fromEntries(
    Object.entries(settings).filter(([key, value]) => key.startsWith('CLICKPESA_') && !value.startsWith('http')),
  )
  const addresses = {
    CLICKPESA_TEST_BASE_URL: 'https://sandbox.clickpesa.example',
    CLICKPESA_LIVE_BASE_URL: 'https://clickpesa.example',
  }
  assert.equal(loadConfig({ ...without, ...account, ...addresses, ...clickpesa }, {}).providers.live.charges, 'clickpesa')
})

test('the name and the time of a prompt are set for all networks or for one', () => {
  const { payments, providers } = loadConfig(settings, {})
  assert.deepEqual(payments.promptSeconds, { mpesa: 90, airtel: 90, mixx: 90, halotel: 90 })
  assert.equal(providers.live.promptNames.snippe.mpesa, 'MALIPO')
  const set = loadConfig(
    { ...settings, PROMPT_SECONDS: 'halotel=60, 120', SNIPPE_LIVE_PROMPT_NAME: 'MALIPO TZ,mpesa=Chuo & Co' },
    {},
  )
  assert.deepEqual(set.payments.promptSeconds, { mpesa: 120, airtel: 120, mixx: 120, halotel: 60 })
  assert.deepEqual(set.providers.live.promptNames.snippe, {
    mpesa: 'Chuo & Co',
    airtel: 'MALIPO TZ',
    mixx: 'MALIPO TZ',
    halotel: 'MALIPO TZ',
  })
  assert.equal(set.providers.test.promptNames.snippe.mpesa, 'MALIPO')
  for (const wrong of ['0', 'soon', '90,60', 'ttcl=60', 'mpesa=601', 'mpesa='])
    refuses({ ...settings, PROMPT_SECONDS: wrong }, /PROMPT_SECONDS: /)
  for (const wrong of ['<b>', 'x'.repeat(41), 'a,b'])
    refuses({ ...settings, SNIPPE_TEST_PROMPT_NAME: wrong }, /SNIPPE_TEST_PROMPT_NAME: /)
})

test('a payment expires within a day: its charge is asked about for two days', () => {
  assert.equal(loadConfig({ ...settings, PAYMENT_EXPIRY_SECONDS: '86400' }, {}).payments.expirySeconds, 86_400)
  refuses({ ...settings, PAYMENT_EXPIRY_SECONDS: '259200' }, /PAYMENT_EXPIRY_SECONDS: write at most 86400 seconds/)
})

test('production starts with safe settings and is refused with any unsafe one', () => {
  assert.equal(loadConfig(production, {}).mode, 'production')
  refuses({ ...production, BASE_URL: 'http://api.malipo.example' }, /api address must be https/)
  refuses({ ...production, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, /WEBHOOK_ALLOW_PRIVATE_TARGETS/)
  refuses({ ...production, SNIPPE_LIVE_BASE_URL: 'http://api.snippe.example' }, /SNIPPE_LIVE_BASE_URL/)
  refuses({ ...production, RATE_LIMITS: 'off' }, /RATE_LIMITS must be on/)
  refuses({ ...production, SIMULATED_PROVIDERS: 'test,live' }, /SIMULATED_PROVIDERS must not name live/)
  refuses({ ...production, SMTP_URL: '' }, /SMTP_URL/)
  refuses({ ...production, HEADS_URL: 'http://heads.malipo.example' }, /HEADS_URL must be https/)
  refuses({ ...production, MAIL_FROM: 'Malipo <no-reply@malipo.invalid>' }, /MAIL_FROM/)
  const silent = { ...production, MAIL_FROM: 'Malipo <no-reply@malipo.example>' }
  refuses(silent, /SUPPORT_EMAIL must be an address that someone reads: payers see no-reply@malipo\.example/)
  assert.equal(loadConfig({ ...silent, SUPPORT_EMAIL: 'help@malipo.example' }, {}).support.email, 'help@malipo.example')
  refuses({ ...production, DOCUMENT_STORE: 's3' }, /S3_BUCKET/)
  const bucket = { DOCUMENT_STORE: 's3', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'k', S3_SECRET_ACCESS_KEY: 's' }
  refuses({ ...production, ...bucket, S3_ENDPOINT: 'http://s3.malipo.example' }, /S3_ENDPOINT must be https/)
  const { CLAMD_URL: _none, ...withoutScanner } = production
  refuses(withoutScanner, /CLAMD_URL/)
})

test('production is refused with a secret that is weak, reused or made for local use', () => {
  const zeros = `k1:${Buffer.alloc(32).toString('base64url')}`
  const { JWT_SIGNING_KEYS: signing, SERVER_SECRET: _, ...others } = production as Record<string, string>
  refuses({ ...production, SERVER_SECRET: 'a'.repeat(40) }, /SERVER_SECRET must be random/)
  refuses({ ...production, SERVER_SECRET: 'please-change-me-0123456789-abcdefghij' }, /SERVER_SECRET must be random/)
  refuses({ ...others, JWT_SIGNING_KEYS: signing! }, /SERVER_SECRET: is not set/)
  for (const ring of ['JWT_SIGNING_KEYS', 'API_KEY_PEPPERS', 'ENVELOPE_KEYS', 'INTEGRITY_KEYS']) {
    refuses({ ...production, [ring]: zeros }, new RegExp(`the key k1 of ${ring} must be random`))
    refuses(
      { ...production, [ring]: signing!.replace('test:', 'local-1:') },
      new RegExp(`local-1 of ${ring} was made by npm start`),
    )
  }
  refuses({ ...production, ENVELOPE_KEYS: signing! }, /ENVELOPE_KEYS and JWT_SIGNING_KEYS must not share a key/)
  refuses({ ...production, ENVELOPE_KEYS: `${signing},${signing}` }, /give each key a different id/)
  refuses({ ...production, ENVELOPE_KEYS: `${signing},${signing!.replace('test:', 'other:')}` }, /the same key is listed twice/)
  refuses({ ...production, DATABASE_URL: 'postgresql://malipo:postgres@db:5432/malipo' }, /password in DATABASE_URL and/)
  assert.ok(loadConfig({ ...production, DATABASE_URL: 'postgresql://malipo:Zk3-u8_wq@db:5432/malipo?sslmode=verify-full' }, {}))
})

test('[A92] production is refused with a database of another machine and no TLS', () => {
  const plain = [
    'postgresql://malipo:Zk3-u8_wq@db:5432/malipo',
    'postgresql://malipo:Zk3-u8_wq@127.0.0.1,10.0.0.5:5432/malipo',
    'postgresql://malipo:Zk3-u8_wq@/malipo?host=db.example',
    'postgresql://malipo:Zk3-u8_wq@db/malipo?sslmode=prefer',
    'postgresql://malipo:Zk3-u8_wq@localhost.evil.example/malipo',
  ]
  for (const address of plain)
    refuses({ ...production, DATABASE_URL: address }, /must ask for TLS .* of a host on another machine/)
  refuses({ ...production, DATABASE_SESSION_URL: plain[0]! }, /must ask for TLS/)
  const safe = [
    'postgresql://malipo:Zk3-u8_wq@db:5432/malipo?sslmode=require',
    'postgresql://malipo:Zk3-u8_wq@a,b/malipo?sslmode=verify-full',
    'postgresql://malipo:Zk3-u8_wq@[::1]:5432,127.0.0.1/malipo',
    'postgresql://malipo:Zk3-u8_wq@/malipo?host=/run/postgresql',
    'postgresql://malipo:Zk3-u8_wq@%2Frun%2Fpostgresql/malipo',
  ]
  for (const address of safe) assert.equal(loadConfig({ ...production, DATABASE_URL: address }, {}).database.url, address)
})

test('[A92] production is refused with a simulated environment whose address is the real provider’s', () => {
  const real = { ...production, SNIPPE_TEST_BASE_URL: 'https://api.snippe.sh/' }
  refuses(real, /SIMULATED_PROVIDERS names test, and SNIPPE_TEST_BASE_URL is the real provider's/)
  refuses(
    { ...production, ...clickPesa('TEST'), CLICKPESA_TEST_BASE_URL: 'https://API.clickpesa.com/third-parties' },
    /CLICKPESA_TEST_BASE_URL/,
  )
  assert.equal(loadConfig({ ...real, SIMULATED_PROVIDERS: 'none' }, {}).providers.test.isSimulated, false)
})

test('[A92] production is refused with keys in a file that every user may read', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-settings-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'malipo.env')
  writeFileSync(file, 'PRIVACY_CONTROLLER=Duka la Asha  # as the notice names it\nPORT=4000\n')
  chmodSync(file, 0o644)
  refuses({ ...production, SETTINGS_FILE: file }, /SETTINGS_FILE holds keys and every user may read it/)
  chmodSync(file, 0o640)
  const { privacy, ports } = loadConfig({ ...production, SETTINGS_FILE: file }, { PORT: '5000' })
  assert.deepEqual([privacy.controller, ports.api], ['Duka la Asha', 5000])
  refuses({ ...production, SETTINGS_FILE: join(folder, 'none.env') }, /SETTINGS_FILE cannot be read/)
})

test('test and live are kept apart: no secret of a provider serves both', () => {
  refuses({ ...production, SNIPPE_LIVE_API_KEY: settings['SNIPPE_TEST_API_KEY']! }, /SNIPPE_\*_API_KEY must not be the same/)
  refuses(
    { ...production, SNIPPE_LIVE_WEBHOOK_SECRETS: `${'n'.repeat(40)},${settings['SNIPPE_TEST_WEBHOOK_SECRETS']}` },
    /SNIPPE_\*_WEBHOOK_SECRETS must not be the same/,
  )
  refuses({ ...production, ...clickPesa('TEST'), ...clickPesa('LIVE') }, /CLICKPESA_\*_API_KEY[\s\S]*CLICKPESA_\*_CHECKSUM_KEYS/)
})

test('production needs the number of its proxies, and is never a local start', () => {
  const { TRUSTED_PROXIES: _, ...unsaid } = production as Record<string, string>
  refuses(unsaid, /TRUSTED_PROXIES: is not set: how many proxies/)
  assert.equal(loadConfig({ ...production, TRUSTED_PROXIES: '0' }, {}).trustedProxies, 0)
  refuses(
    { ...production, DASHBOARD_ORIGINS: 'https://a.example,http://b.example' },
    /DASHBOARD_ORIGINS must be https: http:\/\/b\.example/,
  )
  refuses({ ...settings, NODE_ENV: 'production' }, /NODE_ENV is production, and MALIPO_MODE=local/)
  assert.equal(loadConfig({ ...production, NODE_ENV: 'production' }, {}).mode, 'production')
})

test('a cell names its homes, and no other installation has to', () => {
  refuses({ ...settings, CELL: 'k1' }, /CELL_HOMES: is not set: the homes of this cell/)
  assert.deepEqual(loadConfig({ ...settings, CELL: 'k1', CELL_HOMES: '0-127' }, {}).cell.homes, { first: 0, last: 127 })
  assert.deepEqual(loadConfig(settings, {}).cell, { name: '', homes: { first: 0, last: 255 } })
})

test('a missing or malformed setting is named, all of them at once, and no secret is repeated', () => {
  refuses({}, /DATABASE_URL: is not set[\s\S]*SERVER_SECRET: is not set/)
  refuses({ ...settings, SERVER_SECRET: 'short' }, /SERVER_SECRET: use at least 32/)
  refuses({ ...settings, PORT: '70000' }, /PORT/)
  refuses({ ...settings, DATABASE_URL: 'mysql://x' }, /postgresql:\/\//)
  refuses({ ...settings, JWT_SIGNING_KEYS: 'k1:abc' }, /id:base64url/)
  refuses({ ...settings, WEBHOOK_RETRY_DELAYS_SECONDS: '1,2' }, /WEBHOOK_RETRY_DELAYS_SECONDS/)
})

const clickPesa = (side: 'TEST' | 'LIVE') => ({
  [`CLICKPESA_${side}_BASE_URL`]: 'https://api.clickpesa.example/third-parties',
  [`CLICKPESA_${side}_CLIENT_ID`]: 'client',
  [`CLICKPESA_${side}_API_KEY`]: 'api-key',
  [`CLICKPESA_${side}_CHECKSUM_KEYS`]: 'checksum-key-of-clickpesa',
})

test('a provider is chosen by environment and direction, and only chosen providers need settings', () => {
  const { providers } = loadConfig(production, {})
  assert.deepEqual([providers.test.charges, providers.live.payouts, providers.live.clickpesa], ['snippe', 'snippe', undefined])
  refuses({ ...production, CHARGE_PROVIDER_LIVE: 'mpesa' }, /CHARGE_PROVIDER_LIVE/)
  const { SNIPPE_TEST_BASE_URL: _address, ...withoutSimulator } = production as Record<string, string>
  refuses(
    withoutSimulator,
    /SNIPPE_TEST_BASE_URL: is not set, and test asks snippe: the simulator, or .*operations\/providers\.md/,
  )
  refuses(
    { ...production, PAYOUT_PROVIDER_LIVE: 'clickpesa' },
    /CLICKPESA_LIVE_BASE_URL: is not set, and live asks clickpesa[\s\S]*CLICKPESA_LIVE_CHECKSUM_KEYS/,
  )
  const split = loadConfig({ ...production, ...clickPesa('LIVE'), PAYOUT_PROVIDER_LIVE: 'clickpesa' }, {}).providers
  assert.deepEqual([split.live.charges, split.live.payouts, split.test.payouts], ['snippe', 'clickpesa', 'snippe'])
  // Without any of its settings a provider is unknown; with only some of them, the others were forgotten.
  const moved = Object.fromEntries(Object.entries(production).filter(([key]) => !key.startsWith('SNIPPE_LIVE_')))
  const both = { ...moved, ...clickPesa('LIVE'), CHARGE_PROVIDER_LIVE: 'clickpesa', PAYOUT_PROVIDER_LIVE: 'clickpesa' }
  assert.equal(loadConfig(both, {}).providers.live.snippe, undefined)
  refuses(
    { ...both, SNIPPE_LIVE_API_KEY: 'snp_live_0123456789' },
    /SNIPPE_LIVE_BASE_URL: is not set, and other settings of snippe are/,
  )
})

test('production calls providers only over https, and gives them a matching address [P43]', () => {
  const plain = { ...clickPesa('LIVE'), CLICKPESA_LIVE_BASE_URL: 'http://api.clickpesa.example' }
  refuses({ ...production, ...plain }, /CLICKPESA_LIVE_BASE_URL must be https/)
  refuses({ ...production, PROVIDER_CALLBACK_BASE_URL: 'http://api.malipo.example' }, /providerCallback address must be https/)
  refuses({ ...production, PROVIDER_CALLBACK_BASE_URL: `https://${'a'.repeat(400)}.example` }, /PROVIDER_CALLBACK_BASE_URL/)
})

test('calls are counted up to the provider’s limit, unless it is a simulator or the settings say otherwise', () => {
  const counted = (given: Record<string, string>) => {
    const { test, live } = loadConfig({ ...production, ...clickPesa('LIVE'), ...given }, {}).providers
    return [test.snippe?.requestsPerMinute, live.snippe?.requestsPerMinute, live.clickpesa?.requestsPerMinute]
  }
  assert.deepEqual(counted({}), [undefined, 60, 120])
  assert.deepEqual(counted({ SNIPPE_TEST_REQUESTS_PER_MINUTE: '30', SNIPPE_LIVE_REQUESTS_PER_MINUTE: 'off' }), [
    30,
    undefined,
    120,
  ])
  refuses({ ...production, SNIPPE_LIVE_REQUESTS_PER_MINUTE: '0' }, /SNIPPE_LIVE_REQUESTS_PER_MINUTE/)
})

test('a single limit is overridden by its name, and an unknown name stops the start', () => {
  const { limits } = loadConfig({ ...settings, RATE_LIMIT_QUOTAS: 'sign-in=7/60, prompts-day=30/86400' }, {})
  const { quota, windowSeconds, countedBy } = limits.policies.signIn
  assert.deepEqual([quota, windowSeconds, countedBy], [7, 60, 'all_processes'])
  assert.equal(limits.policies.presign.quota, 30)
  assert.deepEqual(limits.prompts.quotas, [
    { quota: 5, windowSeconds: 600 },
    { quota: 30, windowSeconds: 86_400 },
  ])
  refuses({ ...settings, RATE_LIMIT_QUOTAS: 'signin=7/60' }, /names no limit: signin\. There are: sign-in, /)
  refuses({ ...settings, RATE_LIMIT_QUOTAS: 'sign-in=0/60' }, /write each as name=quota\/seconds/)
})
