/**
 * `npm run setup`: signs in at the service of `npm start`, creates an app with a key and a webhook, and writes .env. With MALIPO_URL,
 * MALIPO_EMAIL and MALIPO_PASSWORD it does this for your own account in the test environment.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'

const {
  MALIPO_URL = 'http://127.0.0.1:3000',
  MALIPO_EMAIL = 'asha@demo.malipo.invalid',
  MALIPO_PASSWORD = 'karibu-malipo-2026',
  SHOP_URL = 'http://127.0.0.1:4000',
} = process.env

if (existsSync('.env')) throw new Error('There is a file .env already. Remove it to create another app and key.')

async function post(path, body, token) {
  const response = await fetch(`${MALIPO_URL}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const { data, error } = await response.json()
  if (!response.ok) throw new Error(`${path}: ${error.message}`)
  return data
}

const { access_token: token } = await post('/v1/auth/login', { identifier: MALIPO_EMAIL, password: MALIPO_PASSWORD })
const { id: app } = await post('/developers/apps', { name: 'Example shop', environment: 'test' }, token)
const scopes = ['pages:read', 'pages:write', 'payments:read', 'payouts:read', 'payouts:write']
const { key } = await post('/developers/keys', { app_id: app, key_name: 'shop', scopes }, token)
const events = ['payment.completed', 'payment.failed', 'payment.voided', 'payment.expired', 'refund.completed', 'refund.failed']
const { secret } = await post(`/developers/apps/${app}/webhook`, { url: `${SHOP_URL}/webhooks/malipo`, events }, token)

const settings = {
  MALIPO_URL,
  MALIPO_API_KEY: key,
  MALIPO_WEBHOOK_SECRET: secret,
  SHOP_URL,
  ADMIN_PASSWORD: randomBytes(9).toString('base64url'),
}
const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
writeFileSync('.env', lines.join(''), { mode: 0o600 })
console.log(`Written to .env. Orders and refunds: ${SHOP_URL}/admin, user admin, password ${settings.ADMIN_PASSWORD}`)
