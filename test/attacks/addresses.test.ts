/**
 * Attacks through the address of a webhook: schemes, spellings, disguises, names that resolve to internal addresses, our own hosts;
 * refused when it is saved.
 */
import { test } from 'node:test'
import { createEgress } from '../../server/platform/outbound/egress.ts'
import { attackAll, startAttackedApp } from './attacked-app.ts'

const publicAddress = '93.184.215.14'

const inside = `
  127.0.0.1 0.0.0.0 10.0.0.1 100.64.0.1 169.254.169.254 172.16.0.1 192.168.0.1 192.88.99.3 198.18.0.1 224.0.0.1 240.0.0.1 ::1
  ::ffff:127.0.0.1 ::ffff:0:7f00:1 ::7f00:1 ::5efe:7f00:1 64:ff9b::a9fe:a9fe 2002:7f00:1::1 fd00::1 fe80::1 100::1 5f00::1 3fff::1`
  .trim()
  .split(/\s+/)

test('an address of a private network is refused when it is saved, and no request is sent to it [A41, A42, A43, A46]', async (t) => {
  const ours = 'https://api.malipo.example'
  const names: Record<string, string[]> = {
    'shop.example': [publicAddress],
    'mixed.example': [publicAddress, '127.0.0.1'],
    localhost: ['127.0.0.1'],
    'api.malipo.example': [publicAddress],
    ...Object.fromEntries(inside.map((address, place) => [`inside-${place}.example`, [address]])),
  }
  const app = await startAttackedApp(t, {
    settings: { RATE_LIMIT_QUOTAS: 'webhook-secret=1000/3600' },
    wrap(deps) {
      const egress = createEgress({
        clock: deps.clock,
        allowPrivate: false,
        ownUrls: [ours],
        resolver: async (name) => {
          const known = names[name.replace(/\.$/, '')]
          if (!known) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
          return known
        },
      })
      t.after(() => egress.close())
      return { ...deps, egress }
    },
  })
  const { token, ...student } = await app.student()
  const { appId } = await app.key({ token, ...student })
  const urls = [
    'http://shop.example/',
    'ftp://shop.example/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    'https://',
    'https://user:password@shop.example/',
    'https://shop.example/#fragment',
    ...[22, 25, 5432].map((port) => `https://shop.example:${port}/`),
    ...['127.0.0.1', '0x7f.1', '2130706433', '017700000001', '127.1', '①②⑦.⓪.⓪.①', 'localhost', 'localhost.'].map(
      (host) => `https://${host}/`,
    ),
    ...inside.map((address) => `https://${address.includes(':') ? `[${address}]` : address}/`),
    ...inside.map((_, place) => `https://inside-${place}.example/`),
    'https://mixed.example/',
    `${ours}/v1/payments/checkout`,
    'https://API.malipo.example./',
  ]
  await attackAll(
    app,
    urls.map((url) => ({
      name: url,
      send: () => app.call('POST', `/developers/apps/${appId}/webhook`, { token, body: { url } }),
      expects: '400 validation_error',
    })),
  )
})
