/**
 * People and businesses prove their identity, in a real Chromium with real files: from the first field to the decision, with every
 * way in which an upload can fail.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { newMember } from '../members.ts'
import { decideBusiness, registerBusiness, submitBusiness, submitKyc, uploadFour } from '../onboarding.ts'
import { activePdfs, jpegDocument, pdfDocument, pngDocument, pngOfNoise, truncatedJpeg } from '../sample-documents.ts'
import { eventually, startTestApp, type Admin, type Student } from '../app.ts'
import { accessibilityProblems, keepPicture, overflows, startBrowser } from './browser.ts'
import { looksRightEverywhere, operatorTab, signedInTab, type Tab } from './dashboard.ts'

type SentFile = { name: string; mimeType: string; buffer: Buffer }

const jpeg = (name = 'IMG_2041.JPG'): SentFile => ({ name, mimeType: 'image/jpeg', buffer: jpegDocument() })
const png = (name = 'scan.png'): SentFile => ({ name, mimeType: 'image/png', buffer: pngDocument() })
const pdf = (name = 'cheti cha usajili.pdf'): SentFile => ({ name, mimeType: 'application/pdf', buffer: pdfDocument() })

const card = (tab: Tab, name: string) => tab.getByRole('listitem').filter({ hasText: name })

/** A short-lived state, on a desktop and a phone: nothing is wider than the window, and axe finds nothing. */
async function looksRightNow(tab: Tab, name: string, part = 'html'): Promise<void> {
  const size = tab.viewportSize()!
  for (const viewport of [{ width: 360, height: 740 }, size]) {
    await tab.setViewportSize(viewport)
    await keepPicture(tab, `${name}-${viewport.width}`)
    assert.equal(await overflows(tab), false, name)
    assert.deepEqual(await accessibilityProblems(tab, part), [], name)
  }
}

/** Gives a file through the button of a card. */
async function give(tab: Tab, name: string, file: SentFile | SentFile[]): Promise<void> {
  const button = card(tab, name).getByRole('button', { name: new RegExp(`^(Choose a file|Replace): ${name}`) })
  const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), button.click()])
  await chooser.setFiles(file)
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((node: { ownerDocument: { activeElement: unknown } }) => node === node.ownerDocument.activeElement)

/** Presses Tab until `target` has the focus. */
async function tabTo(tab: Tab, target: Locator): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 60; presses += 1) {
    if (await hasFocus(target)) return
    await tab.keyboard.press('Tab')
  }
  assert.fail(`No way leads to ${target.toString()} by Tab`)
}

async function press(tab: Tab, target: Locator): Promise<void> {
  await tabTo(tab, target)
  await tab.keyboard.press('Enter')
}

async function type(tab: Tab, label: string, text: string): Promise<void> {
  await tabTo(tab, tab.getByRole('textbox', { name: new RegExp(`^${label}`) }))
  await tab.keyboard.type(text)
}

async function giveByKeys(tab: Tab, name: string, file: SentFile): Promise<void> {
  const button = card(tab, name).getByRole('button', { name: `Choose a file: ${name}` })
  await tabTo(tab, button)
  const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), tab.keyboard.press('Enter')])
  await chooser.setFiles(file)
  await card(tab, name).getByText('Uploaded').waitFor()
}

test('people and businesses prove their identity', async (t) => {
  const app = await startTestApp(t)
  const browser = await startBrowser(t)
  const place = { browser, app }
  const admin: Admin = await app.admin()
  const ask = async (student: Student, path: string) => (await app.call('GET', path, { token: student.token })).body.data
  const decidePerson = async ({ userId }: Student, body: Record<string, unknown>) => {
    const { status } = await app.call('POST', `/v1/admin/kyc/${userId}/verify`, { token: admin.token, body })
    assert.equal(status, 200)
  }

  await t.test(
    '[D3, D2] by keyboard alone: from the list of open tasks to a verified person and a verified business',
    async () => {
      const student = await app.student({ verified: false })
      const tab = await signedInTab(place, student)
      // For all later file choosers, not only during a wait: a key is faster than that.
      tab.on('filechooser', () => undefined)
      await tab.goto('/dashboard/me/test')
      await press(tab, tab.getByRole('link', { name: /Verify your identity/ }))
      await tab.getByRole('heading', { level: 1, name: 'Your identity' }).waitFor()

      await type(tab, 'Number of your identity card', '20030517-12345-00001-23')
      const birthday = tab.getByLabel('Date of birth')
      await tabTo(tab, birthday)
      // Month first, in the date format of this browser.
      await tab.keyboard.type('05172003')
      assert.equal(await birthday.inputValue(), '2003-05-17')
      await press(tab, tab.getByRole('button', { name: 'Continue' }))
      await eventually('the focus is on the next step', () =>
        tab.evaluate<boolean>(`document.activeElement.textContent === 'Documents'`),
      )
      await giveByKeys(tab, 'Identity card', jpeg())
      await giveByKeys(tab, 'Student card', pdf())
      await giveByKeys(tab, 'Picture of your face', png())
      await press(tab, tab.getByRole('button', { name: 'Continue' }))
      await tab.getByText('•••• 1-23').waitFor()
      await press(tab, tab.getByRole('button', { name: 'Send for review' }))
      await tab.getByText('In review').waitFor()
      assert.equal((await ask(student, '/v1/kyc')).status, 'pending')
      await decidePerson(student, { status: 'verified' })
      // The open page shows the decision without a reload.
      await tab.getByText('Verified details cannot be changed here.').waitFor({ timeout: 4_000 })
      assert.equal(await tab.getByRole('button', { name: /Change|Replace|Send/ }).count(), 0)

      await press(tab, tab.getByRole('button', { name: /^Switch wallet/ }).first())
      const entry = tab.getByRole('menuitem', { name: 'Register a business' })
      await entry.waitFor()
      await eventually('the arrows lead to the last entry', async () => {
        if (await hasFocus(entry)) return true
        await tab.keyboard.press('ArrowDown')
        return false
      })
      await tab.keyboard.press('Enter')
      await tab.getByRole('heading', { level: 1, name: 'Register a business' }).waitFor()
      await tabTo(tab, tab.getByLabel('Kind of business'))
      await tab.keyboard.type('Comp')
      for (const [label, text] of [
        ['Registered name', 'Mwenge Traders Limited'],
        ['Trading name', 'Mwenge Duka'],
        ['Registration number', 'BRELA-123456'],
        ['TIN', '123-456-789'],
        ['Address', 'Plot 12, Bagamoyo Road'],
        ['Town or city', 'Dar es Salaam'],
      ] as const) {
        await type(tab, label, text)
      }
      await tabTo(tab, tab.getByRole('combobox', { name: 'Region' }))
      await tab.keyboard.type('Dar es')
      await type(tab, 'Phone number', '022 211 2345')
      await type(tab, 'E-mail address', 'duka@mwenge.example.com')
      await type(tab, 'Website', 'mwenge.example.com')
      await type(tab, 'Your role in it', 'Director')
      await press(tab, tab.getByRole('button', { name: 'Save and continue' }))
      // The first minute of the business: its page and its key are at hand, and the documents are one step away.
      await tab.waitForURL(/\/dashboard\/biz_\w+\/test$/)
      const id = /biz_\w+/.exec(tab.url())![0]
      const sandbox = tab.getByRole('region', { name: 'Your sandbox is ready' })
      const key = (await sandbox.getByRole('group', { name: 'Test key' }).textContent())!
      const [page] = (await app.call('GET', '/v1/payment-pages', { key })).body.data
      assert.equal(page.owner.id, id)
      assert.equal(await sandbox.getByRole('link', { name: page.url }).getAttribute('href'), page.url)
      await looksRightEverywhere(tab, 'new-business-sandbox', () => sandbox.waitFor(), { reloads: false })
      await press(tab, sandbox.getByRole('link', { name: 'Continue with the documents' }))
      await tab.waitForURL(/\/dashboard\/biz_\w+\/test\/verification\?step=documents/)
      const made = await ask(student, `/v1/businesses/${id}`)
      assert.deepEqual(
        [made.legal_name, made.business_type, made.phone, made.website, made.country],
        ['Mwenge Traders Limited', 'company', '+255222112345', 'https://mwenge.example.com', 'TZ'],
      )
      await giveByKeys(tab, 'Registration certificate', pdf())
      await giveByKeys(tab, 'Tax certificate', jpeg('tin.jpeg'))
      await giveByKeys(tab, 'Business licence', png())
      await giveByKeys(tab, 'Proof of address', pdf('bili.pdf'))
      await press(tab, tab.getByRole('button', { name: 'Continue' }))
      await press(tab, tab.getByRole('button', { name: 'Send for review' }))
      await tab.getByText('In review').waitFor()

      await decideBusiness(app, admin, id, { status: 'rejected', reason: 'The licence has expired.' })
      await tab.getByText('The licence has expired.').waitFor({ timeout: 4_000 })
      await press(tab, tab.getByRole('button', { name: 'Correct it and send again' }))
      assert.equal(await tab.getByRole('textbox', { name: 'Registered name' }).inputValue(), 'Mwenge Traders Limited')
      await press(tab, tab.getByRole('button', { name: 'Save and continue' }))
      await tab.getByRole('heading', { level: 2, name: 'Documents' }).waitFor()
      await tabTo(tab, tab.getByRole('button', { name: 'Replace: Business licence' }))
      const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), tab.keyboard.press('Enter')])
      await chooser.setFiles(jpeg('leseni mpya.jpg'))
      await card(tab, 'Business licence').getByText('leseni mpya.jpg').waitFor()
      await card(tab, 'Business licence').getByText('Uploaded').waitFor()
      await press(tab, tab.getByRole('button', { name: 'Continue' }))
      await press(tab, tab.getByRole('button', { name: 'Send for review' }))
      await tab.getByText('In review').waitFor()
      const again = await ask(student, `/v1/businesses/${id}`)
      assert.deepEqual([again.status, again.review.version, again.rejection_reason], ['pending', 3, null])

      await decideBusiness(app, admin, id, { status: 'verified', version: 3 })
      await tab.getByText('Verified details cannot be changed here.').waitFor({ timeout: 4_000 })
      assert.equal(await tab.getByRole('button', { name: /Change|Replace|Send/ }).count(), 0)
      await tab.goto(`/dashboard/${id}/test/verification?step=facts`)
      await tab.getByText('Verified details cannot be changed here.').waitFor()
      assert.equal(await tab.getByRole('textbox').count(), 0)
      assert.deepEqual(tab.problems, [])
      await tab.context().close()
    },
  )

  await t.test('[D3] a business without a number belongs to one person alone, and errors are shown at their fields', async () => {
    const student = await app.student({ verified: false })
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/new-business')
    await tab.getByRole('button', { name: 'Save and continue' }).click()
    await tab.locator('[aria-invalid=true]').first().waitFor()
    assert.equal(await tab.title(), 'Error: Register a business – Malipo')
    assert.ok(await hasFocus(tab.getByRole('textbox', { name: 'Registered name' })))
    assert.equal(await tab.getByLabel('Registration number').getAttribute('aria-invalid'), null)
    assert.deepEqual(await accessibilityProblems(tab), [])

    await tab.getByLabel('Kind of business').selectOption('partnership')
    await tab.getByRole('textbox', { name: 'Registered name' }).fill('Kilimo Bora')
    await tab.getByRole('textbox', { name: 'Address', exact: true }).fill('Sokoni')
    await tab.getByRole('textbox', { name: 'Town or city' }).fill('Mbeya')
    await tab.getByLabel('Region').selectOption('Mbeya')
    await tab.getByRole('textbox', { name: 'Phone number' }).fill('12345')
    await tab.getByRole('textbox', { name: 'E-mail address' }).fill('duka')
    await tab.getByRole('textbox', { name: 'Website' }).fill('http://duka.example')
    await tab.getByRole('textbox', { name: 'Your role in it' }).fill('Mshirika')
    await tab.getByRole('button', { name: 'Save and continue' }).click()
    await tab.getByText('Required, unless it is one person’s business.').waitFor()
    await tab.getByLabel('Kind of business').selectOption('sole_proprietor')
    await tab.getByRole('button', { name: 'Save and continue' }).click()
    await tab.getByText('This is not a phone number.').waitFor()
    await tab.getByText('Write it as name@example.com.').waitFor()
    await tab.getByText('An address that begins with https://.').waitFor()
    assert.deepEqual(await ask(student, '/v1/businesses'), [])

    // Leaving the page and coming back loses nothing.
    await tab.getByRole('link', { name: 'Home' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await tab.goBack()
    assert.equal(await tab.getByRole('textbox', { name: 'Registered name' }).inputValue(), 'Kilimo Bora')
    await tab.getByRole('textbox', { name: 'Phone number' }).fill('0754 123 456')
    await tab.getByRole('textbox', { name: 'E-mail address' }).fill('kilimo@example.com')
    await tab.getByRole('textbox', { name: 'Website' }).fill('')
    // The answer is lost in transit, and the button is pressed twice at once when the connection is back: only one business exists.
    let isLost = true
    await tab.route('**/v1/businesses', async (route) => {
      if (route.request().method() !== 'POST' || !isLost) return route.continue()
      isLost = false
      await route.fetch()
      return route.abort()
    })
    await tab.getByRole('button', { name: 'Save and continue' }).click()
    await tab.getByRole('alert').getByText('The service cannot be reached').waitFor()
    await tab.getByRole('textbox', { name: 'Registered name' }).fill('Kilimo Bora Mbeya')
    await tab.getByRole('button', { name: 'Save and continue' }).dblclick()
    await tab.waitForURL(/biz_\w+\/test\/verification\?step=documents/)
    const made = await ask(student, '/v1/businesses')
    assert.deepEqual(
      made.map(({ legal_name, registration_number }: Record<string, string>) => [legal_name, registration_number]),
      [['Kilimo Bora Mbeya', '']],
    )
    await tab.goto(tab.url().replace('documents', 'send'))
    await tab.getByText('Verify your own identity first').waitFor()
    await tab.getByText('Registration certificate, Tax certificate, Business licence, Proof of address').waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Send for review' }).isDisabled(), true)
    await tab.getByRole('link', { name: 'To your identity' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Your identity' }).waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D3] a member who is not the representative reads who must be verified first, and how', async () => {
    const owner = await app.student({ verified: false })
    const { id } = await registerBusiness(app, owner)
    const tab = await signedInTab(place, await newMember(app, owner, id, 'admin'))
    await tab.goto(`/dashboard/${id}/test/verification?step=send`)
    const name = `Student ${owner.email.split('@')[0]}`
    await tab.getByText(`${name} must be verified first`).waitFor()
    await tab.getByText(`${name} represents this business`).waitFor()
    assert.equal(await tab.getByText('Verify your own identity first').count(), 0)
    assert.equal(await tab.getByRole('link', { name: 'To your identity' }).count(), 0)
    await tab.context().close()
  })

  await t.test('[D3] a file is checked before it is sent, and a refusal by the service is explained', async () => {
    const student = await app.student({ verified: false })
    const tab = await signedInTab(place, student)
    const sent: string[] = []
    tab.on('request', (request) => void (request.method() === 'PUT' && sent.push(request.url())))
    await tab.goto('/dashboard/me/test/verification?step=documents')
    const name = 'Identity card'
    await give(tab, name, { name: 'barua.pdf', mimeType: 'application/pdf', buffer: Buffer.from('PK\x03\x04 a letter') })
    await card(tab, name).getByText('barua.pdf is neither a JPEG or PNG picture nor a PDF').waitFor()
    await give(tab, name, { name: 'tupu.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(0) })
    await card(tab, name).getByText('tupu.jpg is empty').waitFor()
    const large = Buffer.concat([jpegDocument(), Buffer.alloc(10_000_000)])
    await give(tab, name, { name: 'kubwa.jpg', mimeType: 'image/jpeg', buffer: large })
    await card(tab, name).getByText('kubwa.jpg is too large: at most 10 MB').waitFor()
    assert.deepEqual(sent, [], 'none of them has left')
    await looksRightNow(tab, 'document-unfit')

    const script = activePdfs['a script when opened']!()
    await give(tab, name, { name: 'cheti.pdf', mimeType: 'application/pdf', buffer: script })
    await card(tab, name).getByText('The PDF contains programs or attachments').waitFor()
    // After a reload, it is still stored.
    await tab.reload()
    await card(tab, name).getByText('The PDF contains programs or attachments').waitFor()
    await give(tab, name, { name: 'nusu.jpg', mimeType: 'image/jpeg', buffer: truncatedJpeg() })
    await card(tab, name).getByText('The file cannot be opened').waitFor()
    // A picture with a wrong type from the device is still accepted as a picture.
    await give(tab, name, { name: 'picha/../‮gpj', mimeType: '', buffer: jpegDocument() })
    await card(tab, name).getByText('Uploaded').waitFor()
    assert.equal((await ask(student, '/v1/kyc')).documents[0].status, 'uploaded')
    assert.equal((await ask(student, '/v1/kyc')).documents[0].unreadable, false)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D3] a file shows its progress, and can be cancelled, retried, viewed, replaced, and dropped', async () => {
    const student = await app.student({ verified: false })
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test/verification?step=documents')
    const name = 'Identity card'
    const line = await tab.context().newCDPSession(tab)
    await line.send('Network.enable')
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 40_000 }
    await line.send('Network.emulateNetworkConditions', slow)
    const noise = { name: 'picha.png', mimeType: 'image/png', buffer: await pngOfNoise(500) }
    await give(tab, name, noise)
    const bar = card(tab, name).getByRole('progressbar')
    const share = async () => Number(await bar.getAttribute('aria-valuenow'))
    await eventually('it moves', async () => (await share()) > 5)
    const before = await share()
    await eventually('it moves on', async () => (await share()) > before)
    await card(tab, name).getByText('picha.png').waitFor()
    await looksRightNow(tab, 'document-sending')
    await card(tab, name)
      .getByRole('button', { name: `Cancel: ${name}` })
      .click()
    await bar.waitFor({ state: 'detached' })
    assert.equal(
      await tab.evaluate(`document.activeElement.getAttribute('aria-label')`),
      `Choose a file: ${name}`,
      'the focus stays where it can go on',
    )

    await line.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 })
    let isCut = true
    await tab.route('**/kyc-docs/**', (route) => (isCut ? route.abort() : route.continue()))
    await give(tab, name, noise)
    await card(tab, name).getByText('The service cannot be reached').waitFor()
    await looksRightNow(tab, 'document-cut')
    isCut = false
    await card(tab, name)
      .getByRole('button', { name: `Try again: ${name}` })
      .click()
    await card(tab, name).getByText('Uploaded').waitFor()
    await tab.unroute('**/kyc-docs/**')

    // When the connection is back, the upload continues automatically.
    await tab.context().setOffline(true)
    await give(tab, 'Student card', pdf('kadi.pdf'))
    await card(tab, 'Student card').getByText('The service cannot be reached').waitFor()
    await tab.context().setOffline(false)
    await card(tab, 'Student card').getByText('Uploaded').waitFor()

    await card(tab, name)
      .getByRole('button', { name: `Open: ${name}` })
      .click()
    const picture = tab.getByRole('dialog').getByRole('img', { name })
    await eventually('the picture is there', () =>
      picture.evaluate((node: { naturalWidth?: number }) => node.naturalWidth === 500),
    )
    await looksRightNow(tab, 'document-preview', '[role=dialog]')
    await tab.keyboard.press('Escape')
    await tab.getByRole('dialog').waitFor({ state: 'detached' })
    await card(tab, 'Student card').getByRole('button', { name: 'Open: Student card' }).click()
    await tab.getByRole('dialog').locator('iframe[title="Student card"]').waitFor()
    await tab.keyboard.press('Escape')
    await tab.getByRole('dialog').waitFor({ state: 'detached' })
    const first = (await ask(student, '/v1/kyc')).documents[0].document_url
    await give(tab, name, jpeg('mpya.jpg'))
    await card(tab, name).getByText('mpya.jpg').waitFor()
    await eventually('the new one counts', async () => (await ask(student, '/v1/kyc')).documents[0].document_url !== first)

    // A file dropped on a card is accepted; dropped beside a card, it does not open in the tab.
    const drop = async (selector: string, bytes: Buffer) =>
      tab.evaluate(
        `((selector, text) => {
          const data = new DataTransfer()
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
          data.items.add(new File([bytes], 'selfie.png', { type: 'image/png', lastModified: 1 }))
          const goal = document.querySelector(selector)
          for (const name of ['dragover', 'drop']) goal.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }))
        })(${JSON.stringify(selector)}, ${JSON.stringify(bytes.toString('base64'))})`,
      )
    await drop('h1', pngDocument())
    await drop('[data-purpose=selfie]', pngDocument())
    await card(tab, 'Picture of your face').getByText('selfie.png').waitFor()
    await card(tab, 'Picture of your face').getByText('Uploaded').waitFor()
    await drop('[data-purpose=student_id_card]', pngDocument())
    await card(tab, 'Student card').getByText('This is the same file as for: Picture of your face').waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D3] a phone offers the camera: the rear one for documents, the front one for the face', async () => {
    const student = await app.student({ verified: false })
    const desktop = await signedInTab(place, student)
    await desktop.goto('/dashboard/me/test/verification?step=documents')
    await card(desktop, 'Identity card')
      .getByRole('button', { name: /Choose a file/ })
      .waitFor()
    assert.equal(await desktop.getByRole('button', { name: /Take a photo/ }).count(), 0)
    await desktop.context().close()

    const tab = await signedInTab(place, student, { size: 'phone', isTouch: true })
    await tab.goto('/dashboard/me/test/verification?step=documents')
    await card(tab, 'Identity card')
      .getByRole('button', { name: /Take a photo/ })
      .waitFor()
    await tab.getByText('Take a photo of each').waitFor()
    await keepPicture(tab, 'documents-touch')
    assert.equal(await overflows(tab), false)
    assert.deepEqual(await accessibilityProblems(tab), [])
    for (const [name, side] of [
      ['Identity card', 'environment'],
      ['Picture of your face', 'user'],
    ] as const) {
      const button = card(tab, name).getByRole('button', { name: `Take a photo: ${name}` })
      const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), button.tap()])
      assert.equal(await chooser.element().getAttribute('capture'), side)
      assert.equal(await chooser.element().getAttribute('accept'), 'image/jpeg')
      await chooser.setFiles(jpeg())
      await card(tab, name).getByText('Uploaded').waitFor()
    }
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D3, D1] a session that ends in the middle loses neither a field nor a file', async () => {
    const student = await app.student({ verified: false })
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test/verification')
    await tab.getByRole('textbox', { name: 'Number of your identity card' }).fill('19990101-12345-00001-77')
    await tab.getByLabel('Date of birth').fill('1999-01-01')
    await tab.getByRole('button', { name: 'Continue' }).click()
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await tab.route('**/v1/kyc/documents/presign', async (route) => {
      await held
      await route.continue()
    })
    await give(tab, 'Identity card', jpeg('nida.jpg'))
    await card(tab, 'Identity card').getByText('nida.jpg').waitFor()
    await app.call('DELETE', '/v1/auth/sessions', { token: student.token })
    await tab.getByText('Your session has ended.').waitFor()
    letGo()
    await tab.getByLabel('E-mail address or phone number').fill(student.email)
    await tab.getByLabel('Password', { exact: true }).fill(student.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await card(tab, 'Identity card').getByText('Uploaded').waitFor()
    await card(tab, 'Identity card').getByText('nida.jpg').waitFor()
    await tab.getByRole('button', { name: /^About you/ }).click()
    assert.equal(await tab.getByRole('textbox', { name: 'Number of your identity card' }).inputValue(), '19990101-12345-00001-77')
    // Signing out leaves nothing for the next user of this tab.
    await tab.getByRole('button', { name: /^Your account/ }).click()
    await tab.getByRole('menuitem', { name: 'Sign out' }).click()
    await tab.getByLabel('E-mail address or phone number').fill(student.email)
    await tab.getByLabel('Password', { exact: true }).fill(student.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('link', { name: 'Verification' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Your identity' }).waitFor()
    assert.equal(await tab.getByRole('textbox', { name: 'Number of your identity card' }).inputValue(), '')
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D3] a rejected person sees the reason in both languages, and need not type everything again', async () => {
    const student = await app.student({ verified: false })
    await submitKyc(app, student)
    await decidePerson(student, { status: 'rejected', reason_codes: ['selfie_mismatch'] })
    const tab = await signedInTab(place, student, { language: 'sw' })
    await tab.goto('/dashboard/me/test')
    await tab.getByRole('link', { name: /Nyaraka zako za utambulisho hazikukubaliwa/ }).click()
    await tab.getByText('Picha yako hailingani na picha kwenye kitambulisho').waitFor()
    await tab.getByText('Your picture does not match the one on the identity card').waitFor()
    await tab.getByRole('button', { name: 'Sahihisha na utume tena' }).click()
    await tab.getByText('Acha wazi ili kubaki na namba inayoishia na 0123.').waitFor()
    assert.equal(await tab.getByLabel('Tarehe ya kuzaliwa').inputValue(), '2003-05-17')
    await tab.getByRole('button', { name: 'Endelea' }).click()
    const face = card(tab, 'Picha ya uso wako')
    const [chooser] = await Promise.all([
      tab.waitForEvent('filechooser'),
      face.getByRole('button', { name: 'Badilisha: Picha ya uso wako' }).click(),
    ])
    await chooser.setFiles(jpeg('uso.jpg'))
    await face.getByText('uso.jpg').waitFor()
    await face.getByText('Imepakiwa').waitFor()
    await tab.getByRole('button', { name: 'Endelea' }).click()
    await tab.getByRole('button', { name: 'Tuma ikaguliwe' }).click()
    await tab.getByText('Tunaikagua').waitFor()
    const { status, national_id_last4, rejection_reason } = await ask(student, '/v1/kyc')
    assert.deepEqual([status, national_id_last4, rejection_reason], ['pending', '0123', null])
    // An impossible birth date is reported in its own step.
    await tab.getByRole('button', { name: 'Badilisha kitu' }).click()
    await tab.getByLabel('Tarehe ya kuzaliwa').fill('2024-01-01')
    await tab.getByRole('button', { name: 'Endelea' }).click()
    await tab.getByText('Huwezi kuwa umezaliwa siku hii.').waitFor()
    assert.equal(await tab.getByLabel('Tarehe ya kuzaliwa').getAttribute('aria-invalid'), 'true')
    await tab.getByLabel('Tarehe ya kuzaliwa').fill('2003-05-18')
    await tab.getByRole('button', { name: 'Endelea' }).click()
    await tab.getByRole('heading', { level: 2, name: 'Nyaraka' }).waitFor()
    await tab.getByRole('button', { name: 'Endelea' }).click()
    await tab.getByRole('button', { name: 'Tuma ikaguliwe' }).waitFor()
    assert.equal(await tab.getByRole('alert').count(), 0, 'the earlier error is no longer shown')
    await tab.getByRole('button', { name: 'Tuma ikaguliwe' }).click()
    await eventually('the birthday is corrected', async () => (await ask(student, '/v1/kyc')).date_of_birth === '2003-05-18')
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test(
    '[D3, A4] an operator marks a document and a field; the owner corrects these two, sees what was sent, and keeps the rest',
    async () => {
      const student = await app.student()
      const { id } = await registerBusiness(app, student, { legal_name: 'Kumi Traders Limited' })
      await submitBusiness(app, student, id, await uploadFour(app, student, id))

      const console = await operatorTab(place, admin)
      await console.goto(`/admin/reviews/${id}`)
      await console.getByRole('button', { name: 'Reject', exact: true }).click()
      const dialog = console.getByRole('dialog')
      const pick = dialog.getByLabel('Document or field')
      await pick.last().selectOption({ label: 'Business licence' })
      const licence = dialog.getByRole('group', { name: 'Business licence' })
      const send = dialog.getByRole('button', { name: 'Reject', exact: true })
      assert.ok(await send.isDisabled(), 'a document without a reason')
      await licence.getByLabel('What is wrong').selectOption({ label: 'This document has expired. Upload a valid one.' })
      await pick.last().selectOption({ label: 'Registration number' })
      const number = dialog.getByRole('group', { name: 'Registration number' })
      await number.getByLabel('What is wrong').selectOption({ label: 'Something else' })
      assert.ok(await send.isDisabled(), 'something else needs words')
      await number.getByLabel('In your own words').fill('Namba hii ni ya kampuni nyingine.')
      await dialog.getByRole('region', { name: 'Message to the owner' }).getByText('Namba hii ni ya kampuni nyingine.').waitFor()
      await looksRightNow(console, 'review-problems', '[role=dialog]')
      await send.click()
      await console.getByText('Kumi Traders Limited is rejected.').waitFor()
      await console.context().close()

      const tab = await signedInTab(place, student, { language: 'sw' })
      await tab.goto(`/dashboard/${id}/live/verification`)
      await tab.getByText('Kuna vitu 2 vya kusahihisha').waitFor()
      const there = () => tab.getByRole('button', { name: 'Sahihisha: Leseni ya biashara' }).waitFor()
      await looksRightEverywhere(tab, 'business-rejected-items-sw', there)
      await tab.getByRole('button', { name: 'Sahihisha: Namba ya usajili' }).click()
      const field = tab.getByRole('textbox', { name: 'Namba ya usajili' })
      assert.equal(await field.getAttribute('aria-invalid'), 'true')
      await tab.getByText('Namba hii ni ya kampuni nyingine.').last().waitFor()
      assert.equal(await tab.getByRole('textbox', { name: 'Jina lililosajiliwa' }).inputValue(), 'Kumi Traders Limited')
      assert.equal(await tab.getByRole('textbox', { name: 'Jina lililosajiliwa' }).getAttribute('aria-invalid'), null)
      await looksRightNow(tab, 'business-wrong-field-sw')
      await field.fill('BRELA-654321')
      // What is typed is still there after a reload.
      await tab.reload()
      assert.equal(await field.inputValue(), 'BRELA-654321')
      await tab.getByRole('button', { name: 'Hifadhi na uendelee' }).click()

      const wrong = tab.locator('li[data-purpose=business_license]')
      await wrong.getByText('certificate.pdf').waitFor()
      await wrong.getByText('Hati hii imeisha muda wake.').waitFor()
      assert.equal(await tab.locator('li[data-wrong]').count(), 1)
      await wrong.getByRole('button', { name: 'Angalia ulichotuma: Leseni ya biashara' }).click()
      const copy = tab.getByRole('dialog').getByRole('img', { name: 'Leseni ya biashara' })
      await copy.waitFor()
      assert.match((await copy.getAttribute('src'))!, /^blob:/)
      await tab.keyboard.press('Escape')
      await looksRightNow(tab, 'business-wrong-document-sw')
      const [chooser] = await Promise.all([
        tab.waitForEvent('filechooser'),
        wrong.getByRole('button', { name: 'Badilisha: Leseni ya biashara' }).click(),
      ])
      await chooser.setFiles(jpeg('leseni 2026.jpg'))
      await wrong.getByText('Imepakiwa').waitFor()
      await eventually('the new file answers the reason', async () => (await tab.locator('li[data-wrong]').count()) === 0)
      await tab.getByRole('button', { name: 'Endelea' }).click()
      await tab.getByRole('button', { name: 'Tuma ikaguliwe' }).click()
      await tab.getByText('Tunaikagua').waitFor()
      const again = await ask(student, `/v1/businesses/${id}`)
      assert.deepEqual(
        [again.registration_number, again.documents.map(({ file_name }: { file_name: string }) => file_name)],
        ['BRELA-654321', ['photo.JPG', 'scan.png', 'leseni 2026.jpg', 'certificate.pdf']],
      )
      assert.deepEqual(tab.problems, [])
      await tab.context().close()
    },
  )

  await t.test('[D3] a person is told what is needed first, and a date of birth is checked in its own step', async () => {
    const student = await app.student({ verified: false })
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/live/verification')
    const before = tab.getByRole('region', { name: 'Before you start' })
    await before.getByText('It takes about five minutes.').waitFor()
    for (const needed of ['Identity card', 'Student card', 'Picture of your face'])
      await before
        .getByRole('listitem')
        .filter({ hasText: new RegExp(`^${needed}`) })
        .waitFor()
    await looksRightNow(tab, 'person-before')
    await tab.getByLabel('Number of your identity card').fill('20030517-12345-00001-23')
    const birthday = tab.getByLabel('Date of birth')
    const nextYear = new Date().getFullYear() + 1
    for (const [day, text] of [
      [`${nextYear}-01-01`, 'This day is in the future.'],
      [`${nextYear - 5}-01-01`, 'This date of birth is not possible.'],
    ] as const) {
      await birthday.fill(day)
      await tab.getByRole('button', { name: 'Continue' }).click()
      await tab.getByText(text).waitFor()
      assert.ok(await hasFocus(birthday))
    }
    await birthday.fill('2003-05-17')
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByRole('heading', { level: 2, name: 'Documents' }).waitFor()
    assert.equal(await before.count(), 0)
    await tab.context().close()
  })

  await t.test('[D15, D3] every step fits at every width, in light and dark, in both languages', async () => {
    const student = await app.student()
    const { id } = await registerBusiness(app, student)
    const tab = await signedInTab(place, student)
    const at = `/dashboard/${id}/test/verification`
    await tab.goto(`${at}?step=facts`)
    await looksRightEverywhere(tab, 'business-facts', () => tab.getByRole('textbox', { name: 'Registered name' }).waitFor())
    await tab.goto(`${at}?step=documents`)
    await looksRightEverywhere(tab, 'business-documents', () => tab.getByText('Proof of address').first().waitFor())
    const urls = await uploadFour(app, student, id)
    await tab.goto(`${at}?step=send`)
    await looksRightEverywhere(tab, 'business-send', () => tab.getByRole('button', { name: 'Send for review' }).waitFor())
    await submitBusiness(app, student, id, urls)
    await tab.goto(at)
    await looksRightEverywhere(tab, 'business-pending', () => tab.getByText('In review').waitFor())
    await decideBusiness(app, admin, id, { status: 'rejected', reason_codes: ['address_not_proven', 'document_expired'] })
    await looksRightEverywhere(tab, 'business-rejected', () => tab.getByText('It was not accepted').waitFor())
    await tab.context().close()

    const newcomer = await app.student({ verified: false })
    const swahili = await signedInTab(place, newcomer, { language: 'sw' })
    await swahili.goto('/dashboard/me/live/verification')
    await looksRightEverywhere(swahili, 'person-facts-sw', () => swahili.getByLabel('Tarehe ya kuzaliwa').waitFor())
    await swahili.goto('/dashboard/me/live/verification?step=documents')
    await swahili.getByText('Kitambulisho cha mwanafunzi').first().waitFor()
    const [chooser] = await Promise.all([
      swahili.waitForEvent('filechooser'),
      swahili.getByRole('button', { name: 'Chagua faili: Kitambulisho', exact: true }).click(),
    ])
    await chooser.setFiles(jpeg())
    await swahili.getByText('IMG_2041.JPG').waitFor()
    await swahili.getByText('Imepakiwa').waitFor()
    await looksRightEverywhere(swahili, 'person-documents-sw', () => swahili.getByText('Imepakiwa').waitFor())
    await swahili.goto('/dashboard/new-business')
    await looksRightEverywhere(swahili, 'new-business-sw', () => swahili.getByLabel('Mkoa').waitFor())
    await swahili.context().close()
  })
})
