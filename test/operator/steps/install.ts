/** From an empty machine to a service that is ready, with its first operator: docs/operations/install.md. */
import assert from 'node:assert/strict'
import type { Step } from '../steps.ts'

export const installSteps: Step[] = [
  {
    title: 'packages of Debian, and PostgreSQL',
    async run({ block, machine }) {
      await block('install.md / Packages / 1')
      // The package creates this cluster, if it is not installed yet, and on a Debian with systemd it also starts it.
      const version = (await machine.run('ls /usr/lib/postgresql | sort -n | tail -1')).trim()
      if (!machine.exists(`/etc/postgresql/${version}/main`)) await machine.run(`pg_createcluster ${version} main`)
      await machine.run(`pg_ctlcluster ${version} main start`)
      return `PostgreSQL ${version}`
    },
  },
  {
    title: 'packages of the service, and the dashboards',
    async run({ block }) {
      await block('install.md / Packages / 2')
    },
  },
  {
    title: 'the release and its user',
    async run({ block, machine }) {
      await block('install.md / The release and its user / 1')
      assert.match(await machine.run('touch /opt/malipo/x 2>&1 || true', { as: 'malipo' }), /Permission denied/)
    },
  },
  {
    title: 'database and its two logins',
    async run({ block, machine }) {
      await block('install.md / Database / 1')
      assert.equal(await machine.run('stat -c %a:%U /etc/malipo/malipo.env /etc/malipo/owner.env'), '600:root\n600:root\n')
    },
  },
  {
    title: 'keys and settings',
    async run({ block }) {
      await block('install.md / Keys / 1')
      await block('install.md / Settings / 1')
    },
  },
  {
    title: 'malipo-ops and migrate',
    async run({ block }) {
      assert.match(await block('install.md / Commands of the operator / 1'), /Applied|up to date/)
    },
  },
  {
    title: 'api and worker, until they are ready',
    async run({ block }) {
      await block('install.md / Start / 1')
      await block('install.md / Start / 2')
    },
  },
  {
    title: 'the simulator, as the provider of the test environment',
    async run({ block, until }) {
      await block('providers.md / The test environment: the simulator / 1')
      await until('the test provider answers', async () =>
        /^test snippe charges: answers$/m.test(await block('providers.md / Check that it works / 1')),
      )
      await block('providers.md / Check that it works / 3')
    },
  },
  {
    title: 'first operator',
    async run({ block, facts }) {
      const shown = await block('install.md / First operator / 1')
      const [email, password, secret] = ['Sign-in', 'Password', 'Secret'].map(
        (name) => new RegExp(`^ *${name} +(\\S+)`, 'm').exec(shown)?.[1] ?? assert.fail(`${name} is not shown:\n${shown}`),
      )
      facts.operator = { email: email!, password: password!, secret: secret! }
    },
  },
]
