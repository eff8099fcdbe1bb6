/** A merchant whose webhook goes to a receiver of the test, and the deliveries as stored in the database. */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { EventChoice } from '../server/domain/webhook.ts'
import { eventually, type TestApp } from './app.ts'

type ReceivedRequest = { body: string; timestamp: string; signature: string }

/** A merchant with a page, whose webhook goes to a receiver of this process. Without `events`: of a payment that completed. */
export async function startShop(
  t: TestContext,
  app: TestApp,
  answer: (response: ServerResponse) => void,
  events?: EventChoice[],
) {
  const received: ReceivedRequest[] = []
  const receiver = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name])
      received.push({
        body: Buffer.concat(pieces).toString(),
        timestamp: header('x-service-timestamp'),
        signature: header('x-service-signature'),
      })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const student = await app.student()
  const { appId } = await app.key(student)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const made = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url, ...(events && { events }) },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const page = await app.page(student)
  return {
    received,
    student,
    page,
    secret: made.body.data.secret as string,
    /** This many payers pay, and their payments are completed. */
    async sell(count: number): Promise<void> {
      const answers = await Promise.all(Array.from({ length: count }, () => app.checkout(page.slug)))
      for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body))
      await eventually('the payments are completed', async () => {
        const { rows } = await app.owner.pool.query(`select count(*)::integer as left from payments where status <> 'completed'`)
        return rows[0].left === 0
      })
    },
  }
}

type Row = { status: string; attempts: number; leasedBy: string | null }

export async function deliveriesOf(app: TestApp): Promise<Row[]> {
  const { rows } = await app.owner.pool.query(
    `select status, attempts, leased_by as "leasedBy" from webhook_deliveries order by status`,
  )
  return rows
}
