/** The reverse proxy of docs/operations/install.md: nginx, with a certificate that this run makes and trusts. */
import assert from 'node:assert/strict'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Step } from '../steps.ts'

const names = ['api', 'pay', 'files'].map((name) => `DNS:${name}.malipo.example`).join(',')

export const proxySteps: Step[] = [
  {
    title: 'nginx as the reverse proxy',
    async run({ block, machine, call, until }) {
      await block('install.md / Reverse proxy / 1')
      await machine.run(
        `install -d -m 0700 /etc/malipo/tls && cd /etc/malipo/tls
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=malipo.example -addext subjectAltName=${names} -keyout privkey.pem -out fullchain.pem`,
      )
      setDefaultCACertificates([...getCACertificates(), machine.read('/etc/malipo/tls/fullchain.pem')])
      await block('install.md / Reverse proxy / 2')
      await until('the API answers through the proxy', async () => (await call('GET', '/readyz')).status === 200)
      const description = await call('GET', '/openapi-merchants.json')
      assert.equal(description.status, 200)
      return 'its certificate is made by this run'
    },
  },
]
