/** HTTP of a wallet by API key: its balance and what moved it. */
import { z } from 'zod'
import { requireKey, type AuthenticateKeyDeps } from '../apps/authenticate-key.ts'
import { readWallet } from '../ledger/account.sql.ts'
import type { Db } from '../platform/db.ts'
import { dataOf, errors, listOf, listQuery, wholeNumber, type Http } from '../platform/http.ts'
import { fromWire } from '../platform/ids.ts'
import type { Cursors } from '../platform/page.ts'
import { invalidFields } from '../platform/refusal.ts'
import { listTransactions, transactionSchema, transactionToJson } from './list-transactions.ts'

export type WalletRouteDeps = AuthenticateKeyDeps & { db: Db; cursors: Cursors }

const balanceSchema = z
  .object({
    currency: z.literal('TZS'),
    available: z.int().meta({ description: 'TZS that can be paid out now.' }),
    reserved: z.int().meta({ description: 'TZS set aside for payouts on their way.' }),
    total: z.int(),
    environment: z.enum(['test', 'live']),
    as_of: z.string(),
  })
  .meta({ id: 'Balance' })

export async function walletRoutes(http: Http, deps: WalletRouteDeps): Promise<void> {
  http.get(
    '/v1/balance',
    {
      onRequest: requireKey(deps, 'balance:read'),
      schema: {
        operationId: 'getBalance',
        tags: ['Wallet'],
        summary: 'The wallet’s balance',
        security: [{ apiKey: [] }],
        response: { 200: dataOf(balanceSchema), ...errors(401, 403) },
      },
    },
    async (request) => {
      const { merchant, environment } = request.keyCaller.owner
      const wallet = await readWallet(deps.db, { merchantId: merchant.id, home: merchant.home, environment })
      return {
        data: {
          currency: 'TZS' as const,
          available: wallet.balance,
          reserved: 0,
          total: wallet.balance,
          environment,
          as_of: wallet.asOf.toISOString(),
        },
      }
    },
  )

  http.get(
    '/v1/transactions',
    {
      onRequest: requireKey(deps, 'transactions:read'),
      schema: {
        operationId: 'listTransactions',
        tags: ['Wallet'],
        summary: 'What moved the wallet, newest first',
        security: [{ apiKey: [] }],
        querystring: z.strictObject({
          ...listQuery,
          direction: z.enum(['credit', 'debit', 'all']).default('credit'),
          type: z.enum(['payment', 'payout', 'payout_reversal', 'adjustment', 'fee']).optional(),
          reference: z.string().max(60).optional().meta({ description: 'A payment reference.' }),
          payment_page_id: z.string().max(60).optional(),
          min_amount: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
          max_amount: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
        }),
        response: { 200: listOf(transactionSchema), ...errors(400, 401, 403) },
      },
    },
    async (request) => {
      const { query } = request
      const pageId = query.payment_page_id === undefined ? undefined : fromWire('page', query.payment_page_id)
      if (query.payment_page_id !== undefined && pageId === undefined) {
        throw invalidFields([{ field: 'payment_page_id', code: 'invalid', message: 'This is not a payment page id.' }])
      }
      const paymentId = query.reference === undefined ? undefined : fromWire('pay', query.reference)
      if (query.reference !== undefined && paymentId === undefined) {
        throw invalidFields([{ field: 'reference', code: 'invalid', message: 'This is not a payment reference.' }])
      }
      const page = await listTransactions(deps, request.keyCaller.owner, {
        limit: query.limit,
        cursor: query.cursor,
        direction: query.direction,
        type: query.type,
        createdFrom: query.created_from,
        createdTo: query.created_to,
        minAmount: query.min_amount,
        maxAmount: query.max_amount,
        paymentId,
        pageId,
      })
      return { data: page.items.map(transactionToJson), has_more: page.hasMore, next_cursor: page.nextCursor }
    },
  )
}
