/** The code blocks of Markdown files, as a reader copies them, and which test runs each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { patroniPackage } from './cluster/programs.ts'

export type Block = { language: string; text: string; line: number }

export function codeBlocksOf(file: string): Block[] {
  const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    text: match[2]!,
    line: text.slice(0, match.index).split('\n').length,
  }))
}

/** The tests that run the blocks of a file in a language; without a language, all blocks. */
export const ranBy: [file: string, language: string, by: string][] = [
  ['docs/quick-start.md', '', 'test/merchant-quick-start.test.ts'],
  ['docs/operations/quick-start.md', '', 'test/quickstart.long.test.ts'],
  ['docs/guides/webhooks.md', 'js', 'test/webhook-verification.test.ts'],
  ['docs/guides/webhooks.md', 'python', 'test/webhook-verification.test.ts'],
  ['docs/guides/webhooks.md', 'php', 'test/webhook-verification.test.ts'],
  ['docs/guides/webhooks.md', 'go', 'test/webhook-verification.test.ts'],
  ['docs/guides/webhooks.md', 'sh', 'test/code-blocks.long.test.ts'],
  ['docs/guides/payment-requests.md', 'sh', 'test/code-blocks.long.test.ts'],
  ['docs/guides/payout-batches.md', 'sh', 'test/code-blocks.long.test.ts'],
  ['docs/guides/from-order-to-fulfilment.md', 'js', 'test/guides.long.test.ts'],
  ['docs/guides/from-order-to-fulfilment.md', 'python', 'test/guides.long.test.ts'],
  ['docs/guides/from-order-to-fulfilment.md', 'php', 'test/guides.long.test.ts'],
  ['docs/guides/from-order-to-fulfilment.md', 'go', 'test/guides.long.test.ts'],
  ['docs/guides/payouts.md', 'js', 'test/payouts-guide.test.ts'],
  ['docs/guides/event-types.md', 'json', 'test/event-types.test.ts'],
  ['docs/errors.md', 'json', 'test/documentation.test.ts'],
  ['docs/concepts/idempotency.md', 'sh', 'test/code-blocks.long.test.ts'],
  ['docs/concepts/reconciliation.md', 'sh', 'test/code-blocks.long.test.ts'],
  ['sdk/README.md', 'ts', 'test/sdk.test.ts'],
  ['cli/README.md', 'sh', 'test/code-blocks.long.test.ts'],
  ['README.md', 'sh', 'test/readme.long.test.ts'],
  ['docs/tour.md', 'sh', 'test/readme.long.test.ts'],
  ['docs/operations/install.md', '', 'test/operator/steps/install.ts'],
  ['docs/operations/upgrades.md', '', 'test/operator/steps/upgrade.ts'],
  ['docs/operations/backup.md', '', 'test/operator/steps/backup.ts'],
  ['docs/operations/watching.md', '', 'test/operator/steps/monitoring.ts'],
  ['docs/operations/personal-data.md', 'sh', 'test/personal-data.long.test.ts'],
]

/** Lines that another test runs than the one of their block, with its name. */
export const notRun: Record<string, string> = {
  'npm install ./malipo-sdk-*.tgz': 'test/sdk.test.ts',
  'npm install --global ./malipo-sdk-*.tgz ./malipo-cli-*.tgz': 'test/cli.long.test.ts',
}

/** Packages of others that our pages install. */
const publishedByOthers = new Set(['express', 'flask', 'requests', `'${patroniPackage}'`])

const installing =
  /\b(?:npm (?:install|i|add)|npx|yarn add|pnpm add|pip3? install|go get|go install|composer require)\b([^`\n]*)/g

/** What a text tells its readers to install, and they cannot: a package of ours in a registry. Our files have a path. */
export function notInstallable(text: string): string[] {
  return [...text.matchAll(installing)]
    .flatMap(([, names]) => names!.split('#')[0]!.trim().split(/\s+/))
    .filter((name) => name !== '' && !name.startsWith('-') && !name.startsWith('./') && !publishedByOthers.has(name))
}

/** The lines of a block that a test runs. */
export const runnable = ({ text }: Pick<Block, 'text'>): string =>
  text
    .split('\n')
    .filter((line) => !(line.trim() in notRun))
    .join('\n')
