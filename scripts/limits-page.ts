/** The page about limits, with the table of server/config/limits.ts. */
import { capsTable, limitsTable, ofOneProcess } from '../server/views/description/limits-table.ts'

export const limitsPage = (): string => `# Limits

A limit counts calls in a window of time that begins with the first call. Answers of a limited operation have the headers \`RateLimit-Policy\` and \`RateLimit\`, with the limits and what remains of them, except for limits that count mistakes or that others use, too. Wait for the seconds in \`Retry-After\`: an earlier try is refused again, and no limit closes an account or a page.

## Limits of calls

An operation by key is counted together with the same operation of a signed-in person. Your server may call from one address for all of your customers: payers behind one carrier share addresses, too, so what is counted by address alone is generous, or counts only what does not exist.

${limitsTable()}

Each process of the service counts these by itself:

${ofOneProcess()}

A request that is repeated with its [idempotency key](concepts/idempotency.md) and gets the first answer again is not counted by the limits on new objects. Save many recipients from a batch, with \`savePayoutBatchRecipients\`.

## Objects at the same time

${capsTable()}

Remove an object that you do not need any more, or complete your verification, and you can create another one. The windows of one browser share a stream.

## Reports of payers

Reports from the browser that started the payment, and those with the number of the network’s message, are counted apart from others: strangers use up nothing of a payer’s. Operators see reports without this proof as one row with a count.

If you run the service yourself, change a limit with \`RATE_LIMIT_QUOTAS\`, by its name in the first column.
`
