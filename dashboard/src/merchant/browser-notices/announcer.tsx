/** Announces what happens to the wallet of this tab, by the browser's notifications. Shows nothing itself. */
import { useEffect, useRef } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { listenUnseen } from '../../api/use-live.ts'
import { money } from '../../ui/format.ts'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { noticeWorker } from './allow.ts'
import { browserNoticeTexts } from './texts.ts'

const watched = 20

type Notice = { tag: string; title: string; body: string; path: string }

/** Several tabs say the same: one notice with the same tag takes the place of the other. */
async function show({ tag, title, body, path }: Notice): Promise<void> {
  const worker = await noticeWorker()
  await worker.showNotification(title, { tag, body, icon: '/dashboard/till-icon-192.png', data: path })
}

/** Calls `announce` for each row that was not there before. */
function useNew<Row>(rows: readonly Row[] | undefined, idOf: (row: Row) => string, announce: (row: Row) => void): void {
  const known = useRef<Set<string>>(undefined)
  useEffect(() => {
    if (!rows) return
    const before = known.current
    known.current = new Set([...(before ?? []), ...rows.map(idOf)])
    if (before) for (const row of rows) if (!before.has(idOf(row))) announce(row)
  })
}

export default function Announcer() {
  const say = browserNoticeTexts.use()
  const can = useCan()
  const { owner, environment, query } = useAccount()
  const place = `/dashboard/${owner}/${environment}`
  const named = (text: string): string => (environment === 'test' ? `${say('test')} · ${text}` : text)
  const tell = (notice: Notice): void => void show(notice).catch(() => undefined)
  const payments = useAnswer(
    'GET /v1/merchant/payments',
    { query: { ...query, status: 'completed', limit: watched } },
    { isLive: true, isWanted: can('payments.read') === true },
  )
  const approvals = useAnswer(
    'GET /v1/merchant/approvals',
    { query: { ...query, may_decide: 'true', limit: watched } },
    { isLive: true, isWanted: can('payouts.approve') === true },
  )
  useNew(
    payments.data?.data,
    ({ reference }) => reference,
    ({ reference, amount, customer, payment_page: page, description }) =>
      tell({
        tag: reference,
        title: named(say('paid', { amount: money(amount) })),
        body: [customer.name ?? customer.phone_masked, description ?? page?.title].filter(Boolean).join(' · '),
        path: `${place}/payments/${reference}`,
      }),
  )
  useNew(
    approvals.data?.data,
    ({ id, version }) => `${id} ${version}`,
    ({ id, amount, recipient, requested_by: asker }) =>
      tell({
        tag: id,
        title: named(say('waits')),
        body: [amount !== null && money(amount), recipient?.name, asker.name].filter(Boolean).join(' · '),
        path: `${place}/approvals`,
      }),
  )
  useEffect(() => {
    listenUnseen(true)
    return () => listenUnseen(false)
  }, [])
  return undefined
}
