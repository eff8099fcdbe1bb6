/** A backup of the running service, a mistake, and the restore to the moment before it: docs/operations/backup.md. */
import assert from 'node:assert/strict'
import type { Operator } from '../operator.ts'
import type { Step } from '../steps.ts'
import { ask, signInAsOperator } from './payment.ts'

const asSuperuser = { as: 'postgres' } as const
const query = ({ machine }: Operator, sql: string): Promise<string> =>
  machine.run(`psql -d malipo -Atc "${sql}"`, asSuperuser).then((shown) => shown.trim())

/** The versions of Debian's only cluster, and its folder. */
async function cluster({ machine }: Operator): Promise<{ name: string; data: string }> {
  const version = (await machine.run('ls /etc/postgresql | sort -n | tail -1')).trim()
  return { name: `${version} main`, data: `/var/lib/postgresql/${version}/main` }
}

/** Pays, and waits until the money is in the wallet. Returns the balance. */
async function pay(operator: Operator, keys: string[]): Promise<number> {
  const { facts, until } = operator
  for (const idempotency_key of keys) {
    const body = {
      slug: facts.shop.slug,
      phone_number: '0754321789',
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
      idempotency_key,
    }
    const { reference } = await ask(operator, 'POST', '/v1/payments/checkout', { body })
    await until(
      'the payment is completed',
      async () => (await ask(operator, 'GET', `/v1/payments/${reference}/status?wait=5`)).status === 'completed',
    )
  }
  return balanceOf(operator)
}

const balanceOf = async (operator: Operator): Promise<number> =>
  (await ask(operator, 'GET', '/v1/balance', { key: operator.facts.shop.key })).total

export const backupSteps: Step[] = [
  {
    title: 'an archive, and a backup of the running service',
    needs: ['gpg'],
    async run(operator) {
      const { block, machine, until } = operator
      await block('backup.md / Set up once / 1')
      await machine.run(`pg_ctlcluster ${(await cluster(operator)).name} restart`)
      await until('the API is ready', async () => (await operator.call('GET', '/readyz')).status === 200)
      machine.write('/root/passphrase', 'a passphrase of the test\n', 0o600)
      await block('backup.md / Take a backup / 1')
      assert.ok(machine.exists('/backups/2026-01-25/manifest.json'))
      assert.match(
        await machine.run('gpg --batch --pinentry-mode loopback --passphrase-file /root/passphrase -d /root/keys-2026-01-25.gpg'),
        /ENVELOPE_KEYS=/,
      )
    },
  },
  {
    title: 'a mistake, and the restore to the moment before it',
    needs: ['gpg'],
    async run(operator) {
      const { block, machine, call, until } = operator
      const { name, data } = await cluster(operator)
      const before = await pay(operator, ['before-1', 'before-2', 'before-3'])
      const moment = await query(operator, 'select clock_timestamp()')
      machine.write('/root/until', moment)
      machine.write('/root/data', data)
      await pay(operator, ['after-1', 'after-2'])
      await query(operator, 'truncate payments cascade')

      await machine.run('systemctl stop malipo-api malipo-worker')
      await machine.run(`pg_ctlcluster ${name} stop`)
      await machine.run(`mv ${data} ${data}.lost && mv /var/lib/malipo/documents /var/lib/malipo/documents.lost`)
      await block('backup.md / Restore / 1')
      await machine.run(`pg_ctlcluster ${name} start`)
      await until('the database accepts writes', async () => (await query(operator, 'select pg_is_in_recovery()')) === 'f')
      await block('backup.md / Restore / 2')
      const checked = await block('backup.md / Restore / 3')
      assert.match(checked, /Everything that must be true of the money is true/)
      assert.doesNotMatch(checked, /MISSING/)
      assert.match(await machine.run('malipo-ops restored'), /A restore is open/)
      await machine.run('mv /var/lib/malipo/heads.jsonl /var/lib/malipo/heads.lost')
      await machine.run('systemctl start malipo-api malipo-worker')
      await until('the API is ready', async () => (await call('GET', '/readyz')).status === 200)

      const token = await signInAsOperator(operator)
      const breaks = async (): Promise<number> => (await ask(operator, 'GET', '/v1/admin/breaks?status=open', { token })).length
      await until('both lost payments are cases', async () => (await breaks()) === 2, 120_000)
      assert.equal(await balanceOf(operator), before)
      const on = { state: 'on', reason: 'Restored and compared' }
      // The list of the live provider cannot be read here.
      await ask(operator, 'PUT', '/v1/admin/switches/payouts', { token, body: { ...on, force: true } })
      await ask(operator, 'PUT', '/v1/admin/switches/test.checkout', { token, body: on })
      assert.equal(await pay(operator, ['later']), before + 2500)
      assert.match(await machine.run('malipo-ops verify'), /Everything that must be true of the money is true/)
      return 'payments before the moment are there; each later one is a case for two operators'
    },
  },
]
