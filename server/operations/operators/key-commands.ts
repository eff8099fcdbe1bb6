/** `malipo-ops keys …`: makes keys, replaces them and shows which ones are still needed. */
import { byCommandLine } from '../../base/audit/audit.ts'
import { confirmAuditLog, findCodeFaults } from '../../base/audit/entry-codes.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../platform/clock.ts'
import { createRecordMac } from '../../platform/crypto/record-mac.ts'
import { createSealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { command, CommandError, UsageError, type Commands } from '../../platform/process/commands.ts'
import { allRings, isKeyMissing, isRing, newKeys, rewrapLines, rotationOf, statusLines } from './print-keys.ts'
import { readKeyStatus } from './read-key-status.ts'
import { rewrapValues } from './rewrap-values.ts'

type Deps = {
  open(): Promise<{ config: Config; db: Db }>
  /** The value of a setting as it is written in the environment or in the local keys. */
  settingOf(name: string): Promise<string | undefined>
  print(line: string): void
}

const today = (): string => new Date(systemClock.now()).toISOString().slice(0, 10).replaceAll('-', '')

async function openWithKeys({ open }: Deps) {
  const { config, db } = await open()
  return { config, db, sealer: createSealer(config.keys.envelope), recordMac: createRecordMac(config.keys.integrity) }
}

async function printRotation({ settingOf, print }: Deps, name: string): Promise<void> {
  if (!isRing(name)) throw new UsageError()
  const current = await settingOf(name)
  if (current === undefined) throw new CommandError(`${name} is not set here: run this where the service's settings are.`)
  for (const line of rotationOf(name, current, today())) print(line)
}

async function confirmAudit(deps: Deps, isConfirmed: boolean): Promise<void> {
  const { print } = deps
  const { db, recordMac } = await openWithKeys(deps)
  const faults = await findCodeFaults(db, recordMac)
  if (faults.length === 0) return print('There is nothing to confirm: every entry of the audit log has a code that fits it.')
  for (const fault of faults) print(fault)
  if (!isConfirmed)
    return print('With --confirm entries without a code are taken as they are; a wrong code or a broken chain is not.')
  const { upTo, refused } = await confirmAuditLog(db, recordMac, byCommandLine)
  if (upTo !== undefined) return print(`The audit log up to entry ${upTo} is confirmed.`)
  print('Nothing was confirmed.')
  for (const reason of refused) print(`No upgrade explains that ${reason}: docs/runbooks/data-breach.md`)
  process.exitCode = 1
}

export const keyCommands: Commands<Deps> = {
  'keys generate': command({
    summary: 'Print new keys for a production environment.',
    run: ({ print }: Deps) => newKeys(today()).forEach(print),
  }),
  'keys rotate': command({
    takes: ['setting'],
    summary: `Print the steps that replace one of ${allRings.join(', ')}.`,
    run: (deps: Deps, [setting]) => printRotation(deps, setting),
  }),
  'keys status': command({
    summary: 'Show which keys are in use and whether previous keys are still needed.',
    run: async (deps: Deps) => {
      const status = await readKeyStatus(await openWithKeys(deps))
      statusLines(status).forEach(deps.print)
      if (isKeyMissing(status)) process.exitCode = 1
    },
  }),
  'keys rewrap': command({
    summary: 'Encrypt all stored secrets with the current key. Can be stopped and run again.',
    run: async (deps: Deps) => {
      const results = await rewrapValues(await openWithKeys(deps))
      rewrapLines(results).forEach(deps.print)
      if (results.some(({ unreadable }) => unreadable.length > 0)) process.exitCode = 1
    },
  }),
  'keys confirm-audit': command({
    flags: '[--confirm]',
    options: { confirm: { type: 'boolean' } },
    summary: 'Accept audit entries without a code, after an upgrade from a version without codes.',
    run: (deps: Deps, _words, { confirm = false }) => confirmAudit(deps, confirm),
  }),
  'keys export': command({
    summary: 'Print the settings that hold keys. Keep them apart from the backups.',
    run: async ({ settingOf, print }: Deps) => {
      for (const name of allRings) print(`${name}=${(await settingOf(name)) ?? ''}`)
    },
  }),
}
