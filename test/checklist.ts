/**
 * The features of the dashboards, line by line: D for merchants, A for operators. The titles of browser tests contain the numbers
 * of their lines in brackets, as in `[D5] …` or `[A2, A4] …`.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The promised features. A new feature is added here; without a test that names it the run fails. */
export const checklist: Record<string, string> = {
  D1: 'Sign in with a second step; a session that ends leads back to the same page; personal or business and test or live always in sight, each with its own data.',
  D2: 'Home: balance, today, 30 days, success rate, the period before, recent payments, what is to be done; a chart with its figures; equal to the ledger to the shilling.',
  D3: 'A person or a business shows who they are: fields, documents by camera, button or drop with progress, again, replaced and looked at; sent, pending, verified or rejected with the reason; sent again without typing anew; nothing changes once it is verified.',
  D4: 'Payment pages: make, change, switch off; fixed or custom amount; a preview in both languages; link, QR as SVG and PNG that a camera reads, a poster; the totals of each.',
  D5: 'Payments: filters in the address, search, pages of a long list, a file of what is shown; empty, loading and failed.',
  D6: 'One payment: its states, the provider’s words, its money and its deliveries in the order of time.',
  D7: 'Apps and keys: an app for test or live; a key with its rights, shown once and kept before going on; a list that shows no value; rolled with a grace, ended on a day, held to addresses, revoked by its name; live keys of a business closed until it is verified, with the reason.',
  D8: 'Webhooks: address, secret shown, copied and rotated, a test event, deliveries by outcome, day and event, with state, attempt, status, time and next try; one with its whole request and answer; sent again one by one and all that failed; programs that check the signature; a word when it was switched off.',
  D9: 'Payouts: what the wallet holds, the recipient confirmed, the amount in words, a fresh proof of who asks, a history; a failed one shows that its money is back; closed until verified, with the reason; cancelled while it waits.',
  D10: 'The statement of a month: what it began and ended with, every line leading to its cause; as CSV and PDF.',
  D11: 'A search over everything, by Ctrl+K or ⌘K, by keys alone.',
  D12: 'The account of a person: their data, sessions listed and ended, the second step connected and taken away, the password, mails, the language.',
  D13: 'A quick start with a key of one’s own filled in; the log of requests, by outcome, app and key.',
  D15: 'Every screen at 360 px, by keyboard, without a finding of axe, and light enough to load.',
  A1: 'A second factor before any data; a cookie apart; who is no operator is turned away, on record.',
  A2: 'The queue of reviews: by state, oldest first, with age and who has taken it; by keyboard.',
  A3: 'A case: data beside documents with purpose, size, hash and time; doubles; what was submitted before; the representative.',
  A4: 'A decision with reasons in both languages, as the merchant will see it; of two at once the second is refused.',
  A5: 'Documents open by short-lived addresses alone, as pictures; each view is on record.',
  A6: 'Stuck payments by network and age; the provider asked at once; resolved with evidence by two; what happens by itself.',
  A7: 'Reconciliation: runs with what they checked and fixed, breaks and how they are resolved, the alarm of a late one, totals of days.',
  A8: 'The audit log: who, what, to what, when, from where, before and after; filters, a file, the chain checked.',
  A9: 'Search by anything that people quote; a merchant with all its data; suspended with a reason, and unsuspended.',
  A10: 'How the service does at a glance: networks, queues, webhooks, providers, comparisons; a switch that payers see.',
  A11: 'A webhook of a merchant sent again on its behalf, on record.',
  A12: 'Large payouts wait for an operator, who lets them go or refuses them.',
  A14: 'A file that operators take away says who took it, and that is on record.',
}

const title = /\btest\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g
const brackets = /^\[([DA]\d{1,2}(?:, [DA]\d{1,2})*)\]/

export type LineTest = { file: string; name: string; lines: string[] }

/** Every browser test that names a line, in the order of the files. */
export function readLineTests(): LineTest[] {
  return globSync('test/browser/*.test.ts', { cwd: root })
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(title)].flatMap(([, , name]) => {
        const lines = brackets.exec(name!)?.[1]!.split(', ')
        return lines ? [{ file, name: name!, lines }] : []
      }),
    )
}
