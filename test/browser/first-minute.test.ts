/**
 * The first minute of a new merchant in a real Chromium, on a phone of 360 px in Swahili: from the empty registration form to the first
 * completed test payment, without a second device. Prints the time and the taps.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, signedInTab, type Tab } from './dashboard.ts'

const allowedMs = 60_000

test('[D27] from registration to the first completed test payment in a minute, on a phone in Swahili', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const tab = await guestTab({ browser, app }, { language: 'sw', size: 'phone' })
  let taps = 0
  const tap = async (what: ReturnType<Tab['locator']>): Promise<void> => {
    await what.click()
    taps += 1
  }
  const type = async (label: string, text: string): Promise<void> => {
    await tap(tab.getByRole('textbox', { name: label }))
    await tab.keyboard.type(text)
  }
  await tab.goto('/dashboard/register')
  await tab.getByRole('heading', { level: 1 }).waitFor()
  const started = performance.now()
  await tap(tab.getByRole('radio', { name: 'Mwanafunzi' }))
  await type('Jina kamili', 'Asha Mushi')
  await type('Barua pepe', 'asha.first@udsm.ac.tz')
  await type('Namba ya simu', '0713 555 777')
  await type('Chuo', 'UDSM')
  await type('Namba ya mwanafunzi', '2023-04-05555')
  await tap(tab.locator('input[type=password]'))
  await tab.keyboard.type('sokoni asubuhi na mapema')
  await tap(tab.getByRole('button', { name: 'Jisajili' }))
  // The code may come later: it is not in the way of a test payment.
  await tap(tab.getByRole('link', { name: 'Baadaye' }))
  await tap(tab.getByRole('button', { name: 'Lipa TSh 1,000 kama mteja' }))
  // The phone rings, and its field has the focus.
  await tab.locator('input[type=password]:focus').waitFor()
  await tab.keyboard.type('4826')
  await tap(tab.getByRole('button', { name: 'Tuma' }))
  await tab.getByText('Malipo yamefika').waitFor()
  const ms = Math.round(performance.now() - started)
  t.diagnostic(`registration to the first completed test payment: ${ms} ms, ${taps} taps`)
  assert.ok(ms <= allowedMs, `${ms} ms`)
  assert.ok(taps <= 12, `${taps} taps`)
  await tab.getByRole('link', { name: 'Angalia malipo' }).waitFor()
  assert.deepEqual(tab.problems, [])
})

test('[D27] a representative registers, starts the business, and its page takes a test payment, on a phone in Swahili', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const tab = await guestTab({ browser, app }, { language: 'sw', size: 'phone' })
  const type = (label: string, text: string) => tab.getByRole('textbox', { name: label, exact: true }).fill(text)
  const save = tab.getByRole('button', { name: 'Hifadhi na uendelee' })
  await tab.goto('/dashboard/register')
  const representative = tab.getByRole('radio', { name: 'Ninawakilisha biashara' })
  await looksRightEverywhere(tab, 'register-who-sw', () => representative.waitFor())
  await representative.check()
  await looksRightEverywhere(tab, 'register-representative-sw', () => representative.waitFor(), { reloads: false })
  assert.equal(await tab.getByRole('textbox', { name: 'Namba ya mwanafunzi' }).count(), 0)
  await type('Jina kamili', 'Joseph Mrema')
  await type('Barua pepe', 'joseph.first@example.com')
  await type('Namba ya simu', '0713 555 888')
  await tab.locator('input[type=password]').fill('sokoni asubuhi na mapema')
  await tab.getByRole('button', { name: 'Jisajili' }).click()
  await tab.getByRole('link', { name: 'Baadaye' }).click()

  // The student number belongs to the business: it is asked before it.
  await tab.waitForURL(/\/dashboard\/new-business$/)
  const number = tab.getByRole('textbox', { name: 'Namba ya mwanafunzi' })
  await looksRightEverywhere(tab, 'student-number-sw', () => number.waitFor(), { reloads: false })
  await save.click()
  await tab.getByText('Sehemu hii inahitajika.').first().waitFor()
  await type('Chuo', 'SUA')
  await number.fill('2024-07-00311')
  await save.click()
  await type('Jina lililosajiliwa', 'Mrema na Wanawe')
  await type('Anwani', 'Sokoni')
  await type('Mji', 'Morogoro')
  await tab.getByRole('combobox', { name: 'Mkoa' }).selectOption('Morogoro')
  await type('Namba ya simu', '0713 555 888')
  await type('Barua pepe', 'duka@example.com')
  await type('Wadhifa wako', 'Mmiliki')
  await save.click()

  await tab.waitForURL(/\/dashboard\/biz_\w+\/test$/)
  const sandbox = tab.getByRole('region', { name: 'Mazingira yako ya majaribio yako tayari' })
  await looksRightEverywhere(tab, 'new-business-sandbox-sw', () => sandbox.waitFor(), { reloads: false })
  const key = (await sandbox.getByRole('group', { name: 'Ufunguo wa majaribio' }).textContent())!
  await sandbox.getByRole('link', { name: 'Jaribu malipo sasa' }).click()
  await tab.getByRole('button', { name: 'Lipa TSh 1,000 kama mteja' }).click()
  await tab.locator('input[type=password]:focus').waitFor()
  await tab.keyboard.type('4826')
  await tab.getByRole('button', { name: 'Tuma' }).click()
  await tab.getByText('Malipo yamefika').waitFor()
  const { data } = (await app.call('GET', '/v1/balance', { key })).body
  assert.equal(data.available, 1000)
  assert.deepEqual(tab.problems, [])
})

test('[D27] the payer’s phone refuses, mistypes and has too little money; the first steps follow the facts', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const place = { browser, app }
  const student = await app.student({ verified: false })
  const tab = await signedInTab(place, student)
  await tab.goto('/dashboard/me/test')
  const steps = (done: number) => tab.getByRole('region', { name: 'To do' }).filter({ hasText: `First steps: ${done} of 6 done` })
  await steps(1).getByRole('link', { name: 'Make a test payment' }).click()
  await tab.getByText('The phone is waiting.').waitFor()
  await looksRightEverywhere(tab, 'try-waiting', () => tab.getByText('The phone is waiting.').waitFor())

  const pay = tab.getByRole('button', { name: /^Pay / })
  await pay.click()
  const pin = tab.getByLabel('PIN', { exact: true })
  await pin.waitFor()
  await tab.getByRole('button', { name: 'Send' }).click()
  await tab.getByText('Enter four digits.').waitFor()
  await pin.fill('0000')
  await tab.getByRole('button', { name: 'Send' }).click()
  await tab.getByText('The PIN is wrong. 2 tries are left.').waitFor()
  await looksRightEverywhere(tab, 'try-ringing', () => pin.waitFor())
  await tab.getByRole('button', { name: 'Refuse' }).click()
  await tab.getByText('The payment of TSh 1,000 was not made.').waitFor()
  await tab.getByText('The payment ended without money').waitFor()

  await pay.click()
  await tab.getByRole('button', { name: 'Too little money' }).click()
  await eventually('both have failed', async () => {
    const { data } = (await app.call('GET', '/v1/merchant/payments?environment=test', { token: student.token })).body
    return data.length === 2 && data.every(({ status }: { status: string }) => status === 'failed')
  })
  // Another payer on the page itself rings the same phone, and a number with a scenario answers by itself.
  const [page] = (await app.call('GET', '/v1/merchant/payment-pages?environment=test', { token: student.token })).body.data
  await app.checkout(page.slug, { amount: 2_500, phone_number: '0784 000 111' })
  await tab.getByText('Pay TSh 2,500 to MALIPO').waitFor()
  await pin.fill('1234')
  await tab.keyboard.press('Enter')
  await tab.getByText('The payment has arrived').waitFor()
  await looksRightEverywhere(tab, 'try-paid', () => tab.getByText('The payment has arrived').waitFor())
  await tab.getByRole('link', { name: 'To the start page' }).click()
  await steps(2)
    .getByRole('button', { name: /^Show all/ })
    .click()
  await steps(2).getByRole('link', { name: 'Use your API key' }).waitFor()
  assert.equal(await steps(2).getByRole('link', { name: 'Make a test payment' }).count(), 0)
  await looksRightEverywhere(tab, 'home-first-steps', () => steps(2).waitFor())
  await tab.goto('/dashboard/me/live/try')
  await tab.getByText('Test payments are possible in the test environment only.').waitFor()
  assert.deepEqual(tab.problems, [])
})
