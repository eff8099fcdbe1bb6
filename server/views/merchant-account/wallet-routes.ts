/** HTTP routes of a wallet, by API key and by the dashboard's sign-in: its balance and its transactions. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { currencySchema } from '../../domain/currency.ts'
import { transactionTypeSchema, wantedDirectionSchema } from '../../domain/wallet.ts'
import { environmentSchema } from '../../domain/environment.ts'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { csvQuery, sheetOf } from '../../domain/sheet.ts'
import { ownerAuthMethods, signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Config } from '../../config/config.ts'
import { readWalletAndHold, type PayoutHold } from '../../pay-out/payouts/hold.sql.ts'
import { holdSchema, type Hold } from '../../domain/hold.ts'
import { wireIdOf, type Owner } from '../../accounts/identity/merchant.ts'
import { leastOf, type Providers } from '../../money/providers/provider.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, wholeNumber, type Http } from '../../platform/http/http.ts'
import { fromWire, wirePattern } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { answerPage, type Cursors } from '../../platform/http/page.ts'
import { searchWords } from '../../platform/http/text.ts'
import { invalidFields, Refusal } from '../../platform/refusal.ts'
import { findPayments, maxFoundPayments, maxSearchedPayments } from '../../collect/payments/list-payments.ts'
import { daysOf, jsonOrCsv, mapPages, sendCsv, wantsCsv, wantsFile, whileAllowed } from '../../platform/http/csv.ts'
import {
  exportTransactions,
  listTransactions,
  transactionColumns,
  transactionSchema,
  transactionToCells,
  transactionToJson,
  type TransactionFilter,
} from './list-transactions.ts'

import { patternsSchema, readPatterns } from './patterns.ts'
import { periodQuery } from './period.ts'
import { readSummary, summarySchema } from './summary.ts'
import { drawStatement } from './statement-pdf.ts'
import { exportStatement, monthSchema, readStatement, statementSchema } from './statement.ts'

export type WalletRouteDeps = OwnerAuthDeps & {
  db: Db
  log: Log
  cursors: Cursors
  config: Pick<Config, 'urls'>
  providers: Providers
}

/** This many lines are about three hundred pages. */
const maxPrintedLines = 10_000

const balanceSchema = z
  .object({
    currency: currencySchema,
    available: z.int().meta({ description: 'TZS that can be paid out now.' }),
    reserved: z.int().meta({ description: 'TZS reserved for payouts in flight.' }),
    total: z.int(),
    receivable: z.int().meta({
      description:
        'TZS that you owe: money left, or a credit was taken back, after the wallet had spent it. The next credits repay it first. Until then payouts are on hold.',
    }),
    payout_minimum: z.int().meta({ description: 'TZS: the least that one payout can send.' }),
    hold: holdSchema.nullable().meta({ description: 'Set while new payouts are refused (409 `payouts_on_hold`).' }),
    environment: environmentSchema,
    as_of: z.iso.datetime(),
  })
  .meta({ id: 'Balance' })

const transactionFilters = {
  created_from: listQuery.created_from,
  created_to: listQuery.created_to,
  direction: wantedDirectionSchema.optional().meta({ description: 'Without it: `credit`, or `all` if `type` is sent.' }),
  type: transactionTypeSchema.optional(),
  reference: z
    .string()
    .max(60)
    .optional()
    .meta({ description: 'A payment reference.', ...wirePattern('pay') }),
  payment_page_id: z.string().max(60).optional(),
  payout_id: z
    .string()
    .max(60)
    .optional()
    .meta({ description: 'Only transactions of this payout. With `direction=all`: what was debited and what was returned.' }),
  min_amount: wholeNumber(0).optional(),
  max_amount: wholeNumber(0).optional(),
  q: searchWords.optional().meta({
    description: `The payments that the same \`q\` finds in their list, at most ${maxFoundPayments}, with their refunds. Beyond ${maxSearchedPayments.toLocaleString('en')} payments: only a whole code, order or phone number.`,
  }),
}

const transactionQuery = { ...listQuery, ...transactionFilters }

function walletHold({ reason, since }: PayoutHold): Hold {
  return { reason, since: since.toISOString(), until: null, who_can_act: reason === 'amount_owed' ? 'you' : 'operators' }
}

/** The id in a filter; refuses with 400 a text that cannot be an id. */
function idOf(kind: Parameters<typeof fromWire>[0], field: string, text: string | undefined, noun: string): string | undefined {
  const id = text === undefined ? undefined : fromWire(kind, text)
  if (text !== undefined && id === undefined) throw invalidFields([{ field, code: 'invalid', message: `Not a valid ${noun}.` }])
  return id
}

async function transactionFilterOf(
  db: Db,
  owner: Owner,
  query: z.infer<z.ZodObject<typeof transactionFilters>>,
): Promise<TransactionFilter> {
  const paymentId = idOf('pay', 'reference', query.reference, 'payment reference')
  const found = query.q === undefined ? undefined : await findPayments(db, owner, query.q)
  const named = paymentId === undefined ? undefined : [paymentId]
  return {
    direction: query.direction ?? (query.type === undefined ? 'credit' : 'all'),
    type: query.type,
    createdFrom: query.created_from,
    createdTo: query.created_to,
    minAmount: query.min_amount,
    maxAmount: query.max_amount,
    paymentIds: found && named ? named.filter((id) => found.includes(id)) : (found ?? named),
    pageId: idOf('page', 'payment_page_id', query.payment_page_id, 'payment page id'),
    payoutId: idOf('po', 'payout_id', query.payout_id, 'payout id'),
  }
}

/** A body that is not JSON is not serialized by the schema of the answer. */
function sendPaper(reply: FastifyReply, paper: NodeJS.ReadableStream | ''): FastifyReply {
  return reply.send(paper)
}

export async function walletRoutes(http: Http, deps: WalletRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    ownerRoute(http, deps, auth, {
      route: 'GET /balance',
      permission: 'wallet.read',
      operationId: `get${auth.name}Balance`,
      summary: 'Get the wallet balance',
      answers: { 200: dataOf(balanceSchema) },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const { wallet, hold } = await readWalletAndHold(deps.db, owner)
        return {
          data: {
            currency: 'TZS' as const,
            available: wallet.balance,
            reserved: wallet.reserved,
            total: wallet.balance + wallet.reserved,
            receivable: wallet.owed,
            payout_minimum: leastOf(deps.providers[owner.environment].payouts),
            hold: hold ? walletHold(hold) : null,
            environment: owner.environment,
            as_of: wallet.asOf.toISOString(),
          },
        }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /transactions',
      permission: 'statements.read',
      operationId: `list${auth.name}Transactions`,
      summary: 'List transactions',
      description: `Transactions of the wallet, newest first; only credits unless \`direction\` or \`type\` is sent. With \`Accept: text/csv\` the answer is the whole filtered list as a file; \`limit\` is ignored. Its columns: ${transactionColumns.join(', ')}. A text that a spreadsheet could read as a formula starts with an apostrophe. The file is complete only if the HTTP response ends normally.`,
      query: z.strictObject({ ...transactionQuery, ...csvQuery, ...auth.query }),
      answers: { 200: jsonOrCsv(listOf(transactionSchema)) },
      handler: async (request, reply) => {
        const { limit, cursor, csv_language: language, ...filters } = request.query
        const owner = auth.ownerOf(request)
        const filter = await transactionFilterOf(deps.db, owner, filters)
        if (wantsCsv(request)) {
          const { asOf, pages } = await exportTransactions(deps, owner, { cursor, ...filter })
          return sendCsv(deps, request, reply, {
            name: `transactions-${daysOf(filter, asOf)}`,
            header: [...transactionColumns],
            sheet: sheetOf(transactionColumns, language),
            pages: mapPages(pages, transactionToCells),
            mayStill: auth.mayStill(request),
          })
        }
        void reply.header('vary', 'Accept')
        const page = await listTransactions(deps, owner, { limit, cursor, ...filter })
        return answerPage(page, transactionToJson)
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /statement',
      permission: 'statements.read',
      operationId: `get${auth.name}Statement`,
      summary: 'Get a monthly statement',
      description: `Opening and closing balance of the month in East Africa Time, and the totals between them. With \`Accept: text/csv\`: all transactions of the month, newest first, with the columns of the transactions list. With \`Accept: application/pdf\`: the same as a document in Swahili and English, each line with a link to its cause. PDF for a month of more than ${maxPrintedLines.toLocaleString('en')} lines: 400 \`statement_too_long\`.`,
      query: z.strictObject({ ...auth.query, ...csvQuery, month: monthSchema }),
      answers: { 200: { content: { ...jsonOrCsv(dataOf(statementSchema)).content, 'application/pdf': { schema: z.string() } } } },
      refuses: ['statement_too_long'],
      handler: async (request, reply) => {
        const owner = auth.ownerOf(request)
        const { month, csv_language: language } = request.query
        if (wantsCsv(request)) {
          return sendCsv(deps, request, reply, {
            name: `statement-${month}`,
            header: [...transactionColumns],
            sheet: sheetOf(transactionColumns, language),
            pages: mapPages(await exportStatement(deps, owner, month), transactionToCells),
            mayStill: auth.mayStill(request),
          })
        }
        const statement = await readStatement(deps, owner, month)
        void reply.header('vary', 'Accept')
        if (wantsFile(request, 'application/pdf')) {
          if (statement.transaction_count > maxPrintedLines) {
            throw new Refusal(400, 'statement_too_long', 'This month has too many lines for a PDF. Request it as text/csv.')
          }
          void reply.type('application/pdf').header('content-disposition', `attachment; filename="statement-${month}.pdf"`)
          if (request.method === 'HEAD') return sendPaper(reply, '')
          const { merchant, environment } = owner
          const dashboard = `${deps.config.urls.api}/dashboard/${merchant.kind === 'business' ? wireIdOf(merchant) : 'me'}/${environment}`
          const paper = drawStatement({
            statement,
            merchantName: merchant.displayName,
            addressOf: { payment: `${dashboard}/payments/`, payout: `${dashboard}/payouts/` },
            pages: whileAllowed(await exportStatement(deps, owner, month), auth.mayStill(request)),
          })
          paper.on('error', (error) => deps.log.error('statement.interrupted', error, { request_id: request.id }))
          return sendPaper(reply, paper)
        }
        return { data: statement }
      },
    })
  }
  const auth = signedInAuth(deps)
  ownerRoute(http, deps, auth, {
    route: 'GET /summary',
    permission: 'statements.read',
    operationId: 'getMerchantSummary',
    summary: 'Get the wallet summary',
    description:
      'Balance, payment volume today and in a period (by day, page and mobile network, and compared with the period before), success rate, and what is still to be set up. The volume of a day is what the ledger credited for payments on that day.',
    query: z.strictObject({ ...auth.query, ...periodQuery }),
    answers: { 200: dataOf(summarySchema) },
    handler: async (request) => ({ data: await readSummary(deps, auth.ownerOf(request), request.query) }),
  })

  ownerRoute(http, deps, auth, {
    route: 'GET /patterns',
    permission: 'statements.read',
    operationId: 'getMerchantPatterns',
    summary: 'Get payment patterns',
    description:
      'For decisions: the completed payments of a period by weekday and hour, why payments ended without money, and this week beside the last one.',
    query: z.strictObject({ ...auth.query, ...periodQuery }),
    answers: { 200: dataOf(patternsSchema) },
    handler: async (request) => ({ data: await readPatterns(deps, auth.ownerOf(request), request.query) }),
  })
}
