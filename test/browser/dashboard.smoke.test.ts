/** Smoke test of the dashboards: a merchant signs in with a password and sees the balance, an operator sees the waiting work. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { guestTab, operatorTab } from './dashboard.ts'

test('both dashboards open in a real browser, and nothing on the console complains', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const student = await app.student()
  const { reference } = (await app.checkout((await app.page(student)).slug)).body.data
  await app.settled(reference)

  const tab = await guestTab({ browser, app }, { language: 'sw' })
  await tab.goto('/dashboard/')
  await tab.getByLabel('Barua pepe au namba ya simu').fill(student.email)
  await tab.getByLabel('Nenosiri', { exact: true }).fill(student.password)
  await tab.getByRole('button', { name: 'Ingia' }).click()
  await tab.getByRole('region', { name: 'Salio' }).getByText('TSh 1,500').waitFor()
  assert.deepEqual(tab.problems, [])

  const console = await operatorTab({ browser, app }, await app.admin())
  await console.goto('/admin/')
  await console.getByRole('region', { name: 'Stuck payments' }).getByText('0', { exact: true }).waitFor()
  assert.deepEqual(console.problems, [])
})
