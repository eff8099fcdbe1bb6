/**
 * The features of the dashboards, line by line: D for merchants, A for operators. The titles of browser tests contain the numbers
 * of their lines in brackets, as in `[D5] …` or `[A2, A4] …`.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The promised features. A new feature is added here; without a test that names it the run fails. */
export const checklist: Record<string, string> = {
  D1: 'Sign-in with a second factor; after an expired session the same page opens again; wallet and environment are always visible, each with its own data.',
  D2: 'Home: balance, today, 30 days, success rate, the previous period, recent payments, open tasks; a chart with its figures; equal to the ledger to the shilling.',
  D3: 'Verification of a person or a business: fields; documents by camera, button or drop, with progress, retry, replace and view; submitted, pending, verified, or rejected with the reason; submitted again without typing again; nothing can change after the verification.',
  D4: 'Payment pages: create, change, deactivate; fixed or custom amount; a preview in both languages; link, QR code as SVG and PNG that a camera can read, a poster; the totals of each page.',
  D5: 'Payments: filters in the address, search, pages of a long list, an export of the shown list; empty, loading and failed states.',
  D6: 'One payment: its states, provider messages, money and deliveries in order of time.',
  D7: 'Apps and keys: an app for test or live; a key with its permissions, shown once with a confirmation; a list without values; rolled with a grace period, expiring on a day, limited to addresses, revoked by its name; live keys of a business only after its verification, with the reason.',
  D8: 'Webhooks: address and events; secret shown, copied and rotated; a test event; deliveries by outcome, type, day and event, with state, attempt, status, time and next attempt; each with its whole request and answer; resend of one, or of all failed ones; code that checks the signature; a notice when it was disabled.',
  D9: 'Payouts: the available balance, a confirmed recipient, the amount in words, a step-up, a history; a failed payout shows the returned money; closed until the verification, with the reason; can be cancelled while it waits.',
  D10: 'The statement of a month: opening and closing balance, every line with a link to its cause; as CSV and PDF.',
  D11: 'A search over everything, by Ctrl+K or ⌘K, with the keyboard only.',
  D12: 'The account of a person: data, sessions listed and ended, the second factor connected and removed, the password, the e-mail address and phone number, mails, the language.',
  D13: 'A quick start with a real key filled in; the log of requests, by outcome, app and key.',
  D15: 'Every screen at 360 px, by keyboard, without findings of axe, and small enough to load fast.',
  D16: 'Payment requests: create with a customer, copy the link or send it by WhatsApp, cancel; each status in words; the payment that paid it, and the request of a payment.',
  D17: 'Refunds: a part or all of a payment, with its fee and what is left in the wallet; each with its state; on the payer’s receipt; found by its id.',
  D18: 'Members of a business: invited by mail with a role, accepted with or without an account, changed, removed by name, left; ownership passed on; each role sees only its sections and buttons, and a screen opened by address says why not.',
  D19: 'Approvals: the rule in one sentence, set, changed and removed; the queue with amount, recipient, requester, times and votes; approved with a step-up or refused with a reason, on a phone, too; why one may not decide; what happens next on the screens of payouts and refunds.',
  D20: 'Activity of a business: who did what and when, in words of both languages.',
  D21: 'Payout batches: a file or pasted rows, sent as they are; what is wrong with the whole file in words; each wrong row at its cell, corrected there or removed; duplicates, other names and a file sent before; total, fees and what the wallet will have; sent for approval, approved, refused or taken back; live progress, stopped, a file with each end; the same on a phone.',
  D22: 'Recipients: saved, found by name or number, renamed, deleted, taken from a batch; chosen for a payout, with a warning when the number was last paid under another name.',
  D47: 'Logo and colour: set, adjusted with a preview in light and dark, removed; a file that is no picture is refused; seen on page and receipt.',
  D41: 'The support contact: set, changed and removed; what payers see without one; a wrong number is refused at its field.',
  D23: 'The till: the last payment in large figures within a second, spoken; today’s total, the last ten; a code to scan, a request by keypad; installed as an app; never old money as new.',
  D25: 'Saved filters of payments and payouts: a name for the filter that is set, without the text of the search; applied, replaced and deleted, by keyboard and on a phone; a period that moves with the day; each person’s own.',
  D27: 'The first minute: from registration to the first completed test payment on one phone, in Swahili; the phone of the payer beside the page; the first steps by facts of the API.',
  D30: 'Every form refused on a phone of 360×640: the focus is on the message or its field, and both are in view, also in dialogs.',
  D31: 'Every screen in Swahili: no text, label, hint or title of it is English.',
  D32: 'Open screens follow changes within a second, untouched for hours, at little cost; without connection they say since when they are old, and recover.',
  D33: 'Customers: who has paid, with totals, found by name or number, each with the payments of the phone; the whole number for roles that may see it, on request, copied or called, and recorded.',
  D48: 'The statement by mail: daily, weekly or monthly, set up, changed, and stopped with one click.',
  D49: 'Keyboard shortcuts by role with a help sheet, from the menu too; never while typing; can be turned off; the focus returns.',
  A1: 'A second factor before any data; a separate cookie; a user without the operator role is refused, and that is recorded.',
  A2: 'The queue of reviews: by state, oldest first, with age and reviewer; by keyboard.',
  A3: 'A case: data beside documents with purpose, size, hash and time; duplicates; earlier submissions; the representative.',
  A4: 'A decision with reasons in both languages, as the merchant will see it; of two at once the second is refused.',
  A5: 'Documents open only at short-lived addresses, as pictures; each view is recorded.',
  A6: 'Stuck payments by network and age; a query to the provider on request; resolved by two operators with evidence; the next automatic step.',
  A7: 'Reconciliation: runs with their checks and fixes, breaks and their resolutions, the alarm of a late run, totals of days.',
  A8: 'The audit log: actor, action, object, time, address, before and after; filters, an export, a check of the chain.',
  A9: 'Search by anything that people quote; a merchant with all its data; suspended with a reason, and unsuspended.',
  A10: 'The state of the service at a glance: networks, queues, webhooks, providers, comparisons; a switch that payers see.',
  A11: 'An operator resends a webhook for a merchant; this is recorded.',
  A12: 'Large payouts wait for an operator, who approves or refuses them.',
  A14: 'An export for operators names the operator who made it, and is recorded.',
  A15: 'Refunds: found by their id, listed on their payment; a payout that is a refund says so and leads to its payment.',
  A47: 'The logo of a merchant: seen on its screen, removed with a reason that the merchant reads.',
  A41: 'Support cases: counted on the overview, the queue with reasons and age, one with all evidence, closed with a note and a message.',
  A49: 'Keyboard shortcuts of the console with a help sheet; the keys of rows follow the same rules.',
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
