/** `malipo-ops providers check`: whether each provider accepts our keys, asked by reading its lists. It starts no charge and no payout. */
import { directions } from '../../domain/provider.ts'
import { liveFirst } from '../../domain/environment.ts'
import { command, type Commands } from '../../platform/process/commands.ts'
import type { Providers } from '../../money/providers/provider.ts'

type Deps = {
  providers(): Promise<Providers>
  print(line: string): void
}

const troubleWords = {
  credentials: 'refuses our keys or the address of this machine',
  outage: 'gives no usable answer',
} as const

async function checkProviders({ providers, print }: Deps): Promise<void> {
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

export const providerCommands: Commands<Deps> = {
  'providers check': command({
    summary: 'Read the newest charges and payouts of each provider: does it accept our keys? (docs/operations/providers.md)',
    run: checkProviders,
  }),
}
