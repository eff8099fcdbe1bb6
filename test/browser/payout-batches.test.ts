/**
 * Payout batches in a real Chromium: an owner invites three people, a sheet with mistakes is uploaded, corrected, approved by another
 * person on a phone, and paid to its last row; whole files that cannot be read are refused in words; a batch is taken back, stopped and
 * deleted.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startShop } from '../fixtures/approvals.ts'
import { fileOf, header, richStudent, rowOf } from '../fixtures/batches.ts'
import { providersOf } from '../fixtures/payouts.ts'
import { eventually, startTestApp } from '../app.ts'
import { accessibilityProblems, keepPicture, overflows, startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab, type Tab } from './dashboard.ts'
import { invitePerson } from './invite.ts'

const patienceMs = 12_000

async function choose(tab: Tab, text: string | Buffer, name = 'salaries.csv'): Promise<void> {
  const button = tab.getByRole('button', { name: /^Choose (a|another) file$/ })
  const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), button.click()])
  await chooser.setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
}

/** On a phone; the covered rest is checked without the dialog. */
async function dialogLooksRight(tab: Tab, name: string): Promise<void> {
  const before = tab.viewportSize()!
  await tab.setViewportSize({ width: 360, height: 740 })
  await keepPicture(tab, name)
  assert.equal(await overflows(tab), false, name)
  assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [], name)
  await tab.setViewportSize(before)
}

const upload = async (tab: Tab): Promise<void> => {
  await tab.getByRole('button', { name: 'Check the rows' }).click()
  await tab.waitForURL(/\/payouts\/batches\/pb_\w+/)
}

/** A group of twenty; seven rows have a mistake, one pays twice, one has another name than before. */
function groupSheet(): string {
  const rows = Array.from({ length: 20 }, (_, index) => {
    const place = index + 1
    return ['5 000', `0754 ${String(place).padStart(3, '0')} 123`, `Mwanakikundi ${place}`, 'Posho', `K-${place}`]
  })
  const change = (row: number, column: number, text: string): void => void (rows[row - 1]![column] = text)
  change(2, 0, '12.5k')
  change(4, 1, '12345')
  change(6, 2, '')
  change(8, 0, '100')
  change(10, 1, '0222 123 456')
  change(12, 3, '=SUM(A1)')
  rows[13]!.push('extra')
  change(18, 1, rows[16]![1]!)
  change(18, 2, rows[16]![2]!)
  return ['kiasi;simu;jina;maelezo;kumbukumbu', ...rows.map((row) => row.join(';'))].join('\r\n')
}

test('an owner invites three people; an accountant uploads a sheet with mistakes and corrects it, and an approver pays it on a phone', async (t) => {
  const browser = await startBrowser(t)
  const shop = await startShop(t)
  const { app, businessId, owner } = shop
  const place = { browser, app }
  const list = `/dashboard/${businessId}/test/payouts/batches`
  const team = await signedInTab(place, owner)
  team.setDefaultTimeout(patienceMs)
  await team.goto(`/dashboard/${businessId}/test/team`)
  const approver = await invitePerson(place, team, 'Approver')
  const cashier = await invitePerson(place, team, 'Cashier')
  const accountant = await invitePerson(place, team, 'Accountant')
  await team.context().close()
  const paid = await shop.request(owner, 5_000, { phone_number: '+255754001123', recipient_name: 'Zawadi Juma' })
  await eventually('the first payout has arrived', async () => {
    const { body } = await shop.as(owner, 'GET', `/payouts/${paid.body.data.id}`)
    return body.data.status === 'completed'
  })
  assert.equal((await shop.setRule({ above: 0, approvers: 1 })).status, 200)

  const tab = await signedInTab(place, accountant)
  tab.setDefaultTimeout(patienceMs)
  const rows = tab.getByRole('table', { name: 'Rows' }).locator('tbody tr')
  let address = ''

  await t.test('[D21] the list explains itself, and the form says what a file contains and gives a sample', async () => {
    await tab.goto(list)
    await tab.getByText('No batches yet').waitFor()
    await looksRightEverywhere(tab, 'batches-none', () => tab.getByText('No batches yet').waitFor())
    await tab.getByRole('link', { name: 'New batch' }).click()
    await tab.getByRole('heading', { name: 'New batch' }).waitFor()
    await tab.getByText('At least TSh 5,000 in each row.').waitFor()
    const [sample] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('button', { name: 'Download a sample' }).click(),
    ])
    const text = await readFile(await sample.path(), 'utf8')
    assert.match(text, /^\ufeffamount,phone_number,recipient_name,narration,reference\n/)
    await looksRightEverywhere(tab, 'batch-new', () => tab.getByText('What the file contains').first().waitFor())
  })

  await t.test('[D21] seven wrong rows come first, each with its reason at the cell and with what was typed', async () => {
    await tab.getByLabel('Title').fill('Posho, Machi')
    await choose(tab, groupSheet())
    await tab.getByText('salaries.csv, 1 KB').waitFor()
    await upload(tab)
    address = new URL(tab.url()).pathname
    await tab.getByText('7 rows have errors').waitFor()
    await tab.getByRole('button', { name: 'Save row 14' }).waitFor()
    assert.equal(await rows.count(), 7)
    const typed = async (cell: string): Promise<string> => tab.getByLabel(cell, { exact: true }).inputValue()
    assert.equal(await typed('Amount, row 2'), '12.5k')
    assert.equal(await typed('Number, row 4'), '12345')
    assert.equal(await typed('Amount, row 8'), '100')
    assert.equal(await typed('Purpose, row 12'), '=SUM(A1)')
    for (const reason of [
      'Not a whole number',
      'Not a Tanzanian mobile number',
      'Missing.',
      'The minimum is',
      'like a formula',
      'more cells',
    ])
      await tab.getByText(reason).first().waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Send for approval' }).isDisabled(), true)
    await tab.getByText('First correct or remove the rows with errors.').waitFor()
    await looksRightEverywhere(tab, 'batch-errors', () => tab.getByText('7 rows have errors').waitFor())
  })

  await t.test(
    '[D21, D15] they are corrected in place by keyboard, in a dialog on a phone, or removed and put back',
    async () => {
      const correct = async (cell: string, text: string): Promise<void> => {
        const field = tab.getByLabel(cell, { exact: true })
        await field.fill(text)
        await field.press('Enter')
      }
      await correct('Amount, row 2', '12.5')
      await tab.getByText('Not a whole number').first().waitFor()
      await correct('Amount, row 2', '5,000')
      await tab.getByText('6 rows have errors').waitFor()
      // The field is gone with its row: the next wrong one has the focus.
      await eventually('the focus moves on', () =>
        tab.evaluate<boolean>(`document.activeElement.getAttribute('aria-label') === 'Number, row 4'`),
      )
      await tab.keyboard.press('Control+A')
      await tab.keyboard.type('0754004123')
      await tab.keyboard.press('Enter')
      await tab.getByText('5 rows have errors').waitFor()
      // Several rows, and one button for all of them.
      await tab.getByLabel('Name, row 6', { exact: true }).fill('Neema Kimaro')
      await tab.getByRole('button', { name: 'Save 1 correction' }).waitFor()
      await tab.getByLabel('Amount, row 8', { exact: true }).fill('5000')
      await keepPicture(tab, 'batch-save-all')
      await tab.getByRole('button', { name: 'Save 2 corrections' }).click()
      await tab.getByText('3 rows have errors').waitFor()
      await tab.getByRole('button', { name: /^Save \d+ correction/ }).waitFor({ state: 'detached' })
      await correct('Purpose, row 12', '')
      await tab.getByText('2 rows have errors').waitFor()
      // Of a row with too many cells, everything that decides about the money is confirmed.
      await tab.getByRole('button', { name: 'Save row 14' }).click()
      await tab.getByText('1 row has an error').waitFor()

      await tab.setViewportSize({ width: 360, height: 740 })
      await tab.getByRole('button', { name: 'Correct row 10' }).click()
      const dialog = tab.getByRole('dialog', { name: 'Change row 10' })
      const number = dialog.getByLabel('Number')
      assert.equal(await number.inputValue(), '0222 123 456')
      assert.equal(await number.evaluate((node) => node === node.ownerDocument.activeElement), true)
      await dialogLooksRight(tab, 'batch-correct')
      await number.fill('0754010123')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await tab.setViewportSize({ width: 1280, height: 800 })
      await tab.getByText('2 rows to check').waitFor()
      await tab.getByText('Last paid as “Zawadi Juma”').waitFor()
      await tab.getByText('Same number and amount as row 17').waitFor()
      await tab.getByRole('button', { name: 'Remove row 18' }).click()
      await tab.getByText('Last paid as “Zawadi Juma”').waitFor()
      await tab.getByLabel('Which rows').selectOption('removed')
      await tab.getByRole('button', { name: 'Put back row 18' }).waitFor()
      assert.match(tab.url(), /show=removed/)
    },
  )

  await t.test(
    '[D21] the review shows all costs and what stays; without the right to approve it is sent for approval',
    async () => {
      await tab.goto(address)
      await tab.getByText('TSh 95,000').first().waitFor()
      await tab.getByText('Left in the wallet').waitFor()
      await looksRightEverywhere(tab, 'batch-review', () => tab.getByText('Left in the wallet').waitFor())
      assert.equal(await tab.getByRole('button', { name: 'Approve and pay' }).count(), 0)
      await tab.getByRole('button', { name: 'Send for approval' }).click()
      await tab.getByText('Your role does not approve payouts.').waitFor()
      await tab.getByText('0 of 1 approvals').waitFor()
      await tab.getByRole('button', { name: 'Take back' }).click()
      await tab.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
      await tab.getByText('The batch is a draft again.').waitFor()
      await tab.getByRole('button', { name: 'Send for approval' }).click()
      await tab.getByText('0 of 1 approvals').waitFor()
      await looksRightEverywhere(tab, 'batch-waiting', () => tab.getByText('0 of 1 approvals').waitFor())
    },
  )

  await t.test('[D21, D18] a cashier sees none of it, and is refused on the screens of other roles', async () => {
    const till = await signedInTab(place, cashier)
    till.setDefaultTimeout(patienceMs)
    await till.goto(address)
    await till.getByText('That role does not include this screen').waitFor()
    assert.equal(await till.getByText('Mwanakikundi').count(), 0)
    for (const screen of ['payouts', 'payouts/new', 'payouts/recipients', 'approvals', 'statement', 'developers', 'pages/new']) {
      await till.goto(`/dashboard/${businessId}/test/${screen}`)
      await till.getByText('That role does not include this screen').waitFor()
    }
    await till.context().close()
  })

  await t.test('[D21] the approver pays it on a phone with the second step, and follows it to its end', async () => {
    const phone = await signedInTab(place, approver, { size: 'phone', isTouch: true, language: 'sw' })
    phone.setDefaultTimeout(patienceMs)
    await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour'`)
    await phone.goto(address)
    await phone.getByRole('button', { name: 'Idhinisha na utume' }).click()
    const dialog = phone.getByRole('dialog', { name: 'Utume mistari 19?' })
    await dialog.getByText('Shilingi elfu tisini na tano').waitFor()
    await dialogLooksRight(phone, 'batch-pay-sw')
    await dialog.getByRole('button', { name: 'Tuma TSh 95,000' }).click()
    const proof = phone.getByRole('dialog', { name: 'Thibitisha kuwa ni wewe' })
    await proof.getByRole('textbox', { name: 'Nenosiri' }).fill(approver.password)
    await proof.getByRole('button', { name: 'Endelea' }).click()
    await phone.getByText('Mistari 19 kati ya 19 imeisha').waitFor({ timeout: 30_000 })
    await phone.getByText('TSh 95,000 zimefika').waitFor()
    await looksRightEverywhere(phone, 'batch-done-sw', () => phone.getByText('TSh 95,000 zimefika').waitFor())
    assert.equal((await providersOf(app)).length, 20)
    await phone.context().close()
  })

  await t.test('[D21] the approver refuses another one with a reason, which its maker reads', async () => {
    const made = await shop.as(accountant, 'POST', '/payout-batches', undefined, {
      rawBody: fileOf(2),
      headers: { 'content-type': 'text/csv' },
    })
    const { id } = made.body.data
    await eventually('it is sent for approval', async () => {
      const sent = await shop.as(accountant, 'POST', `/payout-batches/${id}/submit`, {})
      return sent.status === 200
    })
    const judge = await signedInTab(place, approver)
    judge.setDefaultTimeout(patienceMs)
    await judge.goto(`${list}/${id}`)
    await judge.getByRole('button', { name: 'Refuse' }).click()
    const dialog = judge.getByRole('dialog', { name: 'Refuse' })
    await dialog.getByLabel('Reason').fill('March was paid already')
    await dialogLooksRight(judge, 'batch-refuse')
    await dialog.getByRole('button', { name: 'Refuse' }).click()
    await judge.getByText('The batch is refused.').waitFor()
    await judge.context().close()
    await tab.goto(`${list}/${id}`)
    await looksRightEverywhere(tab, 'batch-not-approved', () => tab.getByText('Reason: March was paid already').waitFor())
    await tab.getByText('Refused: nothing was paid').waitFor()
  })

  await t.test('[D21] the result file sent again leaves out what was paid, says why, and offers the rest [R10]', async () => {
    await tab.goto(address)
    const [file] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'Result file' }).click()])
    const text = await readFile(await file.path(), 'utf8')
    await tab.goto(`${list}/new`)
    // One row as if its payout had failed.
    await choose(tab, text.replace(',Completed,', ',Failed,').replace(/po_\w+/, ''), 'result.csv')
    await upload(tab)
    await tab.getByText('18 rows are left out').waitFor()
    await tab.getByText('TSh 5,000').first().waitFor()
    await looksRightEverywhere(tab, 'batch-left-out', () => tab.getByText('18 rows are left out').waitFor())
    await tab.getByRole('link', { name: 'Show them' }).click()
    await rows.filter({ hasText: 'Neema Kimaro' }).getByText('Paid already, so it is left out.').waitFor()
    await rows
      .filter({ hasText: 'Neema Kimaro' })
      .getByRole('button', { name: /^Put back/ })
      .click()
    await tab.getByText('17 rows are left out').waitFor()
  })

  await t.test('[D21] of an ended batch the failed rows come first, and one button makes a draft of them', async () => {
    const failing = ['amount,phone_number,recipient_name', '5000,0754031089,Halima Said', '6000,0754032123,Juma Ali'].join('\n')
    const made = await shop.as(accountant, 'POST', '/payout-batches?title=Aprili', undefined, {
      rawBody: failing,
      headers: { 'content-type': 'text/csv' },
    })
    const { id } = made.body.data
    const version = await eventually('it is sent for approval', async () => {
      const sent = await shop.as(accountant, 'POST', `/payout-batches/${id}/submit`, {})
      return sent.status === 200 && sent.body.data.version
    })
    await app.owner.pool.query('update sessions set authenticated_at = clock_now()')
    const approved = await shop.as(approver, 'POST', `/payout-batches/${id}/approve`, { version })
    assert.equal(approved.status, 200, JSON.stringify(approved.body))
    await eventually('both rows have ended', async () => {
      const { data } = (await shop.as(owner, 'GET', `/payout-batches/${id}`)).body
      return data.progress.failed === 1 && data.progress.completed === 1 && data.finished_at !== null
    })
    await tab.goto(`${list}/${id}`)
    await rows.filter({ hasText: 'Halima Said' }).waitFor()
    assert.equal(await rows.count(), 1)
    const again = tab.getByRole('button', { name: 'Pay these again' })
    await looksRightEverywhere(tab, 'batch-failed', () => again.waitFor())
    await again.click()
    await tab.getByRole('button', { name: 'Send for approval' }).waitFor()
    assert.ok(!tab.url().includes(id))
    await rows.filter({ hasText: 'Halima Said' }).waitFor()
    assert.equal(await rows.filter({ hasText: 'Juma Ali' }).count(), 0)
    await tab.getByText('TSh 5,000').first().waitFor()
  })

  await t.test('[D21] each row leads to its payout, the file has each end, and the statement has each line', async () => {
    await tab.goto(address)
    await tab.getByText('19 of 19 rows have ended').waitFor()
    const [file] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'Result file' }).click()])
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
    assert.equal(lines.filter((line) => line.includes(',Completed,')).length, 19)
    await rows.filter({ hasText: 'Neema Kimaro' }).getByRole('link').click()
    await tab.getByRole('link', { name: 'See the whole batch' }).waitFor()
    await tab.getByText('Arrived').first().waitFor()
    await tab.getByRole('link', { name: 'See the whole batch' }).click()
    await tab.getByText('19 of 19 rows have ended').waitFor()
    await tab.goto(list)
    await tab.getByRole('link', { name: 'Posho, Machi' }).waitFor()
    await looksRightEverywhere(tab, 'batches', () => tab.getByText('Done', { exact: true }).first().waitFor())
    await tab.goto(`/dashboard/${businessId}/test/statement`)
    await tab.getByText('K-6', { exact: true }).first().waitFor()
    assert.deepEqual(tab.problems, [])
  })
})

test('whole files are refused in words; a batch is checked against earlier ones, stopped and deleted', async (t) => {
  const browser = await startBrowser(t)
  // Without a worker the rows of a batch wait to be sent.
  const app = await startTestApp(t)
  const student = await richStudent(app)
  const { key, token } = student
  const tab = await signedInTab({ browser, app }, student)
  tab.setDefaultTimeout(patienceMs)
  const form = '/dashboard/me/test/payouts/batches/new'

  await t.test('[D21] a file that cannot be read as a whole says what to do, and the form keeps everything', async () => {
    await tab.goto(form)
    await tab.getByLabel('Title').fill('Mishahara')
    await tab.getByRole('button', { name: 'Check the rows' }).click()
    await tab.getByText('Choose a file first.').waitFor()
    const wrong: [Buffer | string, RegExp][] = [
      [Buffer.from([0x50, 0x4b, 0x03, 0x04, 1, 2, 3, 4]), /not a CSV file/],
      [Buffer.from('amount,phone_number,name\n10000,0754123456,Zo\xeb', 'latin1'), /UTF-8/],
      ['amount,phone,wages\n1,2,3', /Missing: recipient_name.*Unknown: wages/],
      [`${header}\n10000,"0754123456,Asha\n`, /quotation mark/],
      [header, /no rows/],
      [fileOf(10_001), /10,000 rows/],
    ]
    for (const [text, words] of wrong) {
      await choose(tab, text)
      await tab.getByRole('button', { name: 'Check the rows' }).click()
      await tab.getByRole('alert').filter({ hasText: words }).waitFor()
      assert.match(await tab.title(), /^Error: /)
    }
    assert.equal(await tab.getByLabel('Title').inputValue(), 'Mishahara')
    await looksRightEverywhere(tab, 'batch-refused', () => tab.getByRole('alert').waitFor(), { reloads: false })
    assert.deepEqual((await app.call('GET', '/v1/payout-batches', { key })).body.data, [])
  })

  await t.test('[D21] pasted rows make a batch; the same rows again are noticed, with a way to the first', async () => {
    const pasted = ['amount\tphone\tname', '10,000\t0754001789\tAsha', '20 000\t0754002789\tJuma'].join('\n')
    for (const time of [1, 2]) {
      await tab.goto(form)
      await tab.getByText('Paste', { exact: true }).click()
      await tab.getByLabel('Rows', { exact: true }).fill(pasted)
      await upload(tab)
      await tab.getByText('TSh 30,000').first().waitFor()
      assert.equal(await tab.getByText('The same rows were sent before').count(), time - 1)
    }
    const second = tab.url()
    await tab.getByRole('link', { name: 'See that batch' }).click()
    await tab.getByText('The same rows were sent before').waitFor({ state: 'detached' })
    assert.notEqual(tab.url(), second)
    await tab.goto(second)
  })

  await t.test('[D21] more than the wallet has is red and cannot be paid; all wrong rows are removed at once', async () => {
    await tab.goto(form)
    const rich = Array.from({ length: 3 }, (_, index) => rowOf(index + 1, '789', 9_000_000))
    const wrong = Array.from({ length: 12 }, (_, index) => `x,12345,Asha ${index}`)
    await choose(tab, [header, ...rich, ...wrong].join('\n'))
    await upload(tab)
    await tab.getByText('12 rows have errors').waitFor()
    await tab.getByRole('button', { name: 'Remove all 12 rows with errors' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await tab.getByText('12 rows have errors').waitFor({ state: 'detached' })
    await tab.getByText('Missing in the wallet').waitFor()
    await tab.getByText('The wallet does not have enough.').waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Pay', exact: true }).isDisabled(), true)
    await looksRightEverywhere(tab, 'batch-short', () => tab.getByText('Missing in the wallet').waitFor())
    await tab.getByRole('button', { name: 'Delete', exact: true }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await tab.waitForURL(/\/payouts\/batches$/)
    assert.equal((await app.call('GET', '/v1/payout-batches', { key })).body.data.length, 2)
  })

  await t.test(
    '[D21, D20] a running batch shows its progress, saves its recipients, and is stopped after a question',
    async () => {
      const { body } = await app.call('GET', '/v1/payout-batches', { key })
      const { id } = body.data[0]
      await tab.goto(`/dashboard/me/test/payouts/batches/${id}`)
      await tab.getByRole('button', { name: 'Pay', exact: true }).click()
      const pay = tab.getByRole('dialog').getByRole('button', { name: 'Pay TSh 30,000' })
      await pay.waitFor()
      await dialogLooksRight(tab, 'batch-pay')
      await pay.click()
      await tab.getByText('0 of 2 rows have ended').waitFor()
      await looksRightEverywhere(tab, 'batch-running', () => tab.getByText('0 of 2 rows have ended').waitFor())
      await tab.getByRole('button', { name: 'Save recipients' }).click()
      await tab.getByText('2 recipients are saved.').waitFor()
      const saved = await app.call('GET', '/v1/merchant/recipients?environment=test', { token })
      assert.equal(saved.body.data.length, 2)
      await tab.getByRole('button', { name: 'Stop', exact: true }).click()
      const stop = tab.getByRole('button', { name: 'Stop the batch' })
      await stop.waitFor()
      await dialogLooksRight(tab, 'batch-stop')
      await stop.click()
      await tab.getByText('2 of 2 rows have ended').waitFor()
      await tab.getByRole('table', { name: 'Rows' }).getByText('Cancelled').first().waitFor()
      await looksRightEverywhere(tab, 'batch-stopped', () => tab.getByText('2 of 2 rows have ended').waitFor())
      assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.available, 5_000_000)
    },
  )
})
