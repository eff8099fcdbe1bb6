/**
 * `malipo-ops providers check`: whether each provider accepts our keys, asked by reading its lists. It starts no charge and no payout.
 * `malipo-ops provider movement`: records money in our account with a provider.
 */
import { z } from 'zod'
import { directions } from '../../domain/provider.ts'
import { environmentSchema, liveFirst } from '../../domain/environment.ts'
import { movementKindSchema } from '../../domain/reconciliation.ts'
import { amountRule, fitsKind, movementFields, recordMovement } from '../../assurance/reconciliation/record-movement.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../platform/db/db.ts'
import { command, CommandError, UsageError, type Commands } from '../../platform/process/commands.ts'
import type { Providers } from '../../money/providers/provider.ts'

type Deps = {
  open(): Promise<{ config: Config; db: Db }>
  providers(): Promise<Providers>
  print(line: string): void
}

const fieldsSchema = z.object(movementFields)

const troubleWords = {
  credentials: 'refuses our keys or the address of this machine',
  outage: 'gives no usable answer',
} as const

async function checkProviders({ providers, print }: Omit<Deps, 'open'>): Promise<void> {
  const all = await providers()
  for (const environment of liveFirst) {
    for (const [name, provider] of all[environment].byName) {
      for (const direction of directions) {
        const page = direction === 'charges' ? await provider.listCharges(0) : await provider.listPayouts(0)
        const isAnswered = page.kind === 'page'
        if (!isAnswered) process.exitCode = 1
        const found = isAnswered ? 'answers' : `${troubleWords[page.trouble ?? 'outage']} (${page.reason})`
        const use = all[environment][direction] === provider ? '' : '  (not in use for new ones)'
        print(`${environment} ${name} ${direction}: ${found}${use}`)
      }
    }
  }
}

async function addMovement({ open, providers, print }: Deps, words: readonly string[]): Promise<void> {
  const [environment, kind] = [environmentSchema.safeParse(words[0]).data, movementKindSchema.safeParse(words[2]).data]
  const provider = words[1]!
  if (!environment || !kind || !/^-?\d{1,15}$/.test(words[3]!)) throw new UsageError()
  const { data: fields, error } = fieldsSchema.safeParse({ amount: Number(words[3]), reference: words[4], note: words[5] })
  if (error) throw new CommandError(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' '))
  if (!fitsKind({ kind, ...fields })) throw new CommandError(amountRule)
  if (!(await providers())[environment].byName.has(provider))
    throw new CommandError(`${environment} has no provider ${provider}.`)
  const { db } = await open()
  const one = await recordMovement(db, { environment, provider, kind, ...fields }, byCommandLine)
  print(
    `${one.amount} TZS (${one.kind}) are recorded for ${environment} ${provider}. A worker compares the balance within seconds.`,
  )
}

export const providerCommands: Commands<Deps> = {
  'providers check': command({
    summary: 'Read the newest charges and payouts of each provider: does it accept our keys? (docs/operations/providers.md)',
    run: checkProviders,
  }),
  'provider movement': command({
    takes: ['environment', 'provider', 'kind', 'amount', 'reference', 'note'],
    summary:
      'Record money in our account with a provider that no charge or payout moved: opening, top_up, withdrawal or correction (docs/runbooks/balance-differs.md). A correction may be negative: put -- before it.',
    run: addMovement,
  }),
}
