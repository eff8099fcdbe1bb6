/**
 * What `npm run test:operator` does with each command block of the operations pages. A block is run word for word, except for the
 * replacements that stand here: values that a page cannot know. A block that is not run names the reason.
 */
import { randomBytes } from 'node:crypto'

type RunBlock = {
  as: 'root' | 'postgres' | 'malipo'
  /** The folder in which the page says to run it. Default: the home folder of the user. */
  folder?: string
  /** What the operator types when a command asks. */
  typed?: string
  /** Why the block fails here. */
  fails?: string
  /** Needs the package registries: it runs in the network of the real machine, so it starts nothing. */
  isOnline?: true
  /** What the operator writes in place of the page's examples. */
  replace?: Record<string, string>
}

export type Plan = RunBlock | { skipped: string }

/** The clone from which the operator installs. */
const inClone = { as: 'root', folder: '/root/malipo' } as const

const ofQuickStart: Plan = { skipped: 'a local start, not production: `npm run quickstart` runs it' }

const secret = (): string => randomBytes(24).toString('base64url')

export const plans: Record<string, Plan> = {
  'install.md / Packages / 1': { ...inClone, isOnline: true },
  'install.md / Packages / 2': { ...inClone, isOnline: true },
  'install.md / The release and its user / 1': inClone,
  'install.md / Database / 1': inClone,
  'install.md / Keys / 1': inClone,
  'install.md / Settings / 1': {
    ...inClone,
    replace: {
      'smtps://malipo:password@mail.malipo.example:465': 'smtp://127.0.0.1:2525',
      snp_live_key: `snp_${secret()}`,
      snippe_live_webhook_secret: secret(),
    },
  },
  'install.md / Commands of the operator / 1': inClone,
  'install.md / Start / 1': inClone,
  'install.md / Start / 2': inClone,
  'install.md / Virus scanner / 1': { ...inClone, isOnline: true },
  'install.md / Virus scanner / 2': inClone,
  'install.md / Reverse proxy / 1': { ...inClone, isOnline: true },
  'install.md / Reverse proxy / 2': inClone,
  'watching.md / Alerts and dashboard / 1': { ...inClone, isOnline: true },
  'watching.md / Alerts and dashboard / 2': inClone,
  'providers.md / The test environment: the simulator / 1': { as: 'root' },
  'providers.md / Check that it works / 1': { as: 'root', fails: 'there is no live provider' },
  'providers.md / Check that it works / 2': { skipped: 'it shows what the command prints' },
  'providers.md / Check that it works / 3': { as: 'root' },
  'install.md / First operator / 1': inClone,
  'backup.md / Set up once / 1': { as: 'root' },
  'backup.md / Take a backup / 1': {
    as: 'root',
    replace: { '--symmetric': '--batch --pinentry-mode loopback --passphrase-file /root/passphrase --symmetric' },
  },
  'backup.md / Take a backup / 2': {
    skipped: 'another way to the same end, with a login of its own; pg_receivewal does not end by itself',
  },
  'backup.md / Restore / 1': {
    as: 'root',
    replace: {
      '/var/lib/postgresql/18/main': '"$(cat /root/data)"',
      '2026-01-25T09:30:00Z': '"$(cat /root/until)"',
    },
  },
  'backup.md / Restore / 2': { as: 'root' },
  'backup.md / Restore / 3': { as: 'root' },
  'backup.md / The drill / 1': { skipped: 'it needs the development packages; `npm run test:faults` runs it' },
  'keys.md / Replace a key / 1': { as: 'root' },
  'keys.md / Replace a key / 2': { as: 'root' },
  'upgrades.md / Upgrading without downtime / 1': inClone,
  'upgrades.md / Upgrading without downtime / 2': { as: 'root' },
  'upgrades.md / Going back / 1': { as: 'root' },
  'personal-data.md / A copy of the data / 1': { as: 'root', replace: { 'asha@example.com': 'neema@example.com' } },
  'personal-data.md / An erasure / 1': {
    as: 'root',
    replace: { 'asha@example.com': 'neema@example.com' },
    typed: 'neema@example.com',
    fails: 'the account was verified',
  },
  'personal-data.md / An erasure / 2': {
    as: 'root',
    replace: { 'asha@example.com': 'neema@example.com' },
    typed: 'neema@example.com',
  },
  'personal-data.md / An erasure / 3': { as: 'root', typed: '+255754123789' },
  'personal-data.md / Retention / 1': { as: 'root' },
  'production.md / With containers / 1': { skipped: 'it needs Docker and its registry' },
  'quick-start.md / 1. Start the service / 1': ofQuickStart,
  'quick-start.md / 2. Create a key / 1': ofQuickStart,
  'quick-start.md / 3. Write a server that checks signatures / 1': ofQuickStart,
  'quick-start.md / 4. Create a page, and pay it / 1': ofQuickStart,
  'quick-start.md / 5. See the money / 1': ofQuickStart,
}
