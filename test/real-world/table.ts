/**
 * Inputs that real people and programs send, from public bug reports of other products: each with what is right, and with the test that
 * proves it at every door where such a value enters. One row more is one entry here.
 */

export type Row = {
  id: string
  input: string
  right: string
  /** The file of the test by door; after `#`, the start of its title, where the file has several tests of this row. */
  doors: Record<string, string>
  /** Not built yet, and where it is. */
  waitsFor?: string
}

const here = (file: string, names: string): Record<string, string> =>
  Object.fromEntries(names.split(', ').map((door) => [door, `test/real-world/${file}.test.ts`]))

const providers = 'server/money/providers'
const uploads = 'server/pay-out/payout-batches/uploads.test.ts'

const ends = 'server/collect/payments/end-checks.test.ts'
const back = 'test/browser/back.test.ts'
const kept = 'server/views/web/checkout/kept-answer.test.ts'

const phones = here(
  'phones',
  'checkout, checkout form, payment, link, payout, batch row, batch file, batch correction, recipient, registration, sign-in, change of number, business form, support contact, report of a payer, search of payments, search of payouts, search of customers, search of recipients, search of a wallet, console search, review search, command line',
)
const addresses = here(
  'addresses',
  'e-mail of a checkout, e-mail of a checkout form, e-mail of a link, e-mail of a registration, sign-in by e-mail, e-mail of a reset, e-mail of an invitation, e-mail of support, e-mail of a report, e-mail of a business, website of a business, number of an identity card, webhook, return from a page, host of returns',
)
const names = here(
  'names',
  'checkout, checkout form, own question of a page, payment, link, customer of a link, page, payout, batch, batch row, batch file, recipient, refund, registration, business form, app, key, saved filter',
)

export const realWorld: readonly Row[] = [
  {
    id: 'R01',
    input: '"\\u202a+255 754 123 789\\u202c", U+2011 and U+2013 as dashes',
    right: 'read',
    doors: { ...phones, ...addresses },
  },
  {
    id: 'R02',
    input: '`+255 (0) 754 123 789`; `0.754123789`, `-754123789`',
    right: 'read; refused',
    doors: phones,
  },
  {
    id: 'R03',
    input: 'a name of U+3164, U+115F, U+FFA0; one letter and 119 marks; a direction mark inside',
    right: 'refused; refused; the mark is removed',
    doors: names,
  },
  {
    id: 'R04',
    input: "stored `Ng’ombe Zoë`, searched `Ng'ombe`, `Ngombe`, NFD",
    right: 'found',
    doors: here('searches', 'payments, payouts, customers, recipients, wallet, console, review of people, review of businesses'),
  },
  {
    id: 'R05',
    input: '`123 456`; a clock 40 s fast; then a recovery code',
    right: 'accepted',
    doors: {
      ...here(
        'codes',
        'sign-in, step-up, enrolment, removal, recovery code, mailed code, reset of a password, change of address',
      ),
      'clock of a phone': 'server/accounts/identity/second-factor.test.ts#a phone whose clock',
    },
  },
  {
    id: 'R06',
    input: 'the header Idempotency-Key twice',
    right: '400',
    doors: here('requests', 'payment, link, payout, refund, batch row, batch file, recipient'),
  },
  {
    id: 'R07',
    input: 'webhook of a provider: currency `tzs`, amount × 100, amount as text',
    right: 'asked back, the right amount',
    doors: {
      'currency of a payment': 'server/assurance/reconciliation/other-amounts.test.ts#${name}: a currency in lower case',
      'amount of a payment': 'server/assurance/reconciliation/other-amounts.test.ts#${name}: the break shows',
      'amount of a payout': 'server/assurance/reconciliation/other-amounts.test.ts#${name}: a message about a payout',
      'amount as text': 'server/assurance/reconciliation/other-amounts.test.ts#an amount as text',
      'every adapter': `${providers}/conformance.test.ts#a record is read strictly`,
    },
  },
  {
    id: 'R08',
    input: 'a create answered 400 `Transaction is being processed`',
    right: 'pending, and asked',
    doors: { 'every adapter': `${providers}/conformance.test.ts#each answer to a create` },
  },
  {
    id: 'R09',
    input: 'a PDF with an owner password, bytes before %PDF-, a JPEG without its end, leseni.jfif',
    right: 'accepted',
    doors: {
      'document of a person or a business': 'test/documents.test.ts',
      logo: 'server/merchants/brands/brands.test.ts',
      'PDF with an owner password': 'server/merchants/documents/check-content.long.test.ts#a PDF that only',
      'its object streams': 'server/merchants/documents/check-content.long.test.ts#object streams under',
      'bytes before, end missing': 'server/merchants/documents/check-content.long.test.ts#a PDF may have',
    },
  },
  {
    id: 'R10',
    input: 'our own export, `sep=;`, UTF-16, `50000.00`, `Phone No.`',
    right: 'read',
    doors: {
      'batch file': `${uploads}#files as spreadsheet`,
      'our own file as a batch': `${uploads}#the result file of a batch and`,
      'screen of a batch': 'test/browser/payout-batches.test.ts',
      'our own file with completed rows': `${uploads}#a result file or an export sent again`,
    },
  },
  {
    id: 'R11',
    input: 'a payout typed again after leaving the screen',
    right: 'asked',
    doors: {
      payout: 'server/pay-out/payouts/payouts.test.ts',
      refund: 'server/pay-out/payouts/refunds.test.ts',
      'screen of payouts': 'test/browser/payouts.test.ts',
      'result file as a batch': `${uploads}#a result file or an export sent again`,
    },
  },
  {
    id: 'R12',
    input: 'the number in the SMS of a late payer',
    right: 'found',
    doors: { 'search of payments and console': 'server/collect/payments/network-receipt.test.ts' },
  },
  {
    id: 'R13',
    input: 'a statement with `Ngʼombe` (U+02BC), Arabic',
    right: 'printed',
    doors: { statement: 'test/statement-pdf.test.ts' },
  },
  {
    id: 'R14',
    input: 'verifyWebhook(await req.arrayBuffer(), …); a secret with a newline',
    right: 'verified',
    doors: { SDK: 'test/sdk.test.ts' },
  },
  {
    id: 'R15',
    input: '`?limit=1000`, `{"Amount":2500}`, a metadata key `Order-Nr.`, gzip',
    right: 'the rule',
    doors: {
      'refused field': 'test/error-hints.test.ts#a refused field',
      'compressed body, byte order mark': 'test/error-hints.test.ts#a compressed body',
    },
  },
  {
    id: 'R16',
    input: '`{"a\\u0000b":1}`',
    right: '400',
    doors: {
      ...here('requests', 'body of every operation, batch row, checkout'),
      'what it is told': 'test/error-hints.test.ts',
    },
  },
  {
    id: 'R17',
    input: 'a payment of 4,000, refunded in full; 12,000 with 8,000 refunded',
    right: 'what can be refunded now, and a warning',
    doors: { 'payment and refund, by key and session': 'server/pay-out/payouts/refunds.test.ts' },
  },
  {
    id: 'R18',
    input: 'a new account, a test key, a refund',
    right: 'works',
    doors: { 'refund, by key and session': 'server/collect/pages/create-sandbox.test.ts' },
  },
  {
    id: 'R19',
    input: 'cancel on the wait page, no PIN',
    right: 'ends, and says when',
    doors: {
      'wait page, with and without scripts': 'test/browser/payer-actions.test.ts#a payer who cancels without a PIN',
      'questions to every adapter': `${ends}#\${provider}: a cancel and the end`,
      'lost message, every adapter': `${ends}#\${provider}: a proven end without money`,
      'no proof': `${ends}#without proof a cancelled payment`,
    },
  },
  {
    id: 'R20',
    input: 'Back after a form error',
    right: 'the form or the payment',
    doors: {
      'page form, with and without scripts': `${back}#of a page with an open amount`,
      'link and report, with and without scripts': `${back}#of a payment link and of the report`,
      'address of the refused form': `${kept}#a refused form is a page`,
      'shared phone': `${kept}#on a shared phone`,
      'browser without cookies': `${kept}#a browser without cookies`,
      'report and closed page': `${kept}#the report that money was taken`,
      'error of a form': `${kept}#an error that a form met`,
      'report that comes too often': `${kept}#a report that comes too often`,
      'request that was not sent again': `${kept}#a request that was not sent again`,
      'request that may have been sent again': `${kept}#a request of which it is unknown`,
    },
  },
  {
    id: 'R21',
    input: '`"currency":"string"`, a constant idempotency key',
    right: 'example values that run',
    doors: { 'body of a client': 'test/error-hints.test.ts' },
  },
  {
    id: 'R22',
    input: 'a cluster with an en_US collation on another glibc',
    right: 'start warns, keys compare bytes',
    doors: {
      start: 'server/assurance/invariants/key-columns.test.ts#a start reports',
      'key columns': 'server/assurance/invariants/key-columns.test.ts#each text column',
    },
  },
]
