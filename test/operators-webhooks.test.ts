/** Operators' actions on a merchant's webhooks: they read the attempts, and send an event again for the merchant. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { eventually, startTestApp } from './app.ts'

async function receiver(t: TestContext, answers: number[]): Promise<{ url: string; received: string[] }> {
  const received: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (bytes) => void (body += String(bytes)))
    request.on('end', () => {
      received.push(body)
      response.writeHead(answers.shift() ?? 200).end('thanks')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

test('operators see all attempts for a merchant, and send an event again, which is audited', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { WEBHOOK_RETRY_DELAYS_SECONDS: '3600,3600,3600,3600' } })
  const [admin, student, other] = [await app.admin(), await app.student(), await app.student()]
  const [first, second] = [await app.key(student), await app.key(student)]
  const [failing, taking] = [await receiver(t, [500]), await receiver(t, [])]
  for (const [appId, url] of [
    [first.appId, failing.url],
    [second.appId, taking.url],
  ]) {
    await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  }
  const page = await app.page(student)
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const list = async (query = '', id = student.userId) => {
    const { status, body } = await app.call('GET', `/v1/admin/merchants/${id}/webhook-deliveries?${query}`, {
      token: admin.token,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  const attempts = await eventually('both were attempted', async () => {
    const found = await list()
    return found.length === 2 && found
  })
  assert.deepEqual(new Set(attempts.map((one: any) => one.app_id)), new Set([first.appId, second.appId]))
  const [failed] = await list('outcome=failed')
  assert.deepEqual([failed.app_id, failed.response_status], [first.appId, 500])
  assert.deepEqual(
    (await list(`app_id=${second.appId}`)).map((one: any) => one.outcome),
    ['succeeded'],
  )
  assert.equal((await list(`event_id=${failed.event_id}`)).length, 2)
  assert.deepEqual(await list('', other.userId), [])
  assert.deepEqual(await list(`app_id=${first.appId}`, other.userId), [])
  const page1 = await app.call('GET', `/v1/admin/merchants/${student.userId}/webhook-deliveries?limit=1`, {
    token: admin.token,
  })
  const rest = await list(`cursor=${page1.body.next_cursor}`)
  assert.deepEqual([...page1.body.data, ...rest], attempts)

  const detail = await app.call('GET', `/v1/admin/webhook-deliveries/${failed.id}`, { token: admin.token })
  assert.equal(detail.body.data.request.body, failing.received[0])
  assert.equal(detail.body.data.response_body, 'thanks')

  const resend = (body: unknown) => app.call('POST', `/v1/admin/events/${failed.event_id}/resend`, { token: admin.token, body })
  const sent = await resend({ app_id: first.appId })
  assert.deepEqual(
    sent.body.data.deliveries.map((one: any) => one.app_id),
    [first.appId],
  )
  await eventually('it arrives', () => failing.received.length === 2)
  assert.equal(failing.received[1], failing.received[0])
  assert.equal(taking.received.length, 1)
  const { body } = await app.call('GET', `/v1/admin/audit?object=${failed.event_id}`, { token: admin.token })
  assert.deepEqual(
    body.data.map(({ action, actor, after }: any) => [action, actor, after.apps]),
    [['event.resent', admin.userId, [first.appId]]],
  )
  assert.equal((await resend({ app_id: 'app_nonsense' })).status, 400)
  const { appId: without } = await app.key(student)
  assert.equal((await resend({ app_id: without })).body.error.code, 'invalid_state')
  assert.equal((await resend({})).body.data.deliveries.length, 2)
})
