/** Operators review people and businesses in the console: the queue, a case with its documents, a decision. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { decideBusiness, submitBusiness, submitKyc, submittedBusiness, upload } from '../onboarding.ts'
import { eventually, startTestApp, type TestApp } from '../app.ts'
import { fillQueue } from '../fill-queue.ts'
import { accessibilityProblems, endTogether, startBrowser, wholeFile } from './browser.ts'
import { looksRightEverywhere, operatorTab, type Tab } from './dashboard.ts'

let app: TestApp
let browser: Browser

const place = () => ({ browser, app })
const read = async (path: string, token: string, of = app) => {
  const { status, body } = await of.call('GET', path, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** A person with a unique name who waits for a review. */
async function submittedPerson(): Promise<{ userId: string; name: string; token: string }> {
  const student = await app.student({ verified: false })
  assert.equal((await submitKyc(app, student)).status, 200)
  return { userId: student.userId, name: `Student ${student.email.split('@')[0]}`, token: student.token }
}

const rowNames = (tab: Tab) => tab.locator('[data-row]').allTextContents()

describe('operators review', () => {
  before(async () => {
    browser = await startBrowser(wholeFile)
    app = await startTestApp(wholeFile)
  })
  endTogether()

  test('[A2] the queue shows who waits, oldest first, how long, and who reviews each case', async (t) => {
    const admin = await app.admin()
    const { business } = await submittedBusiness(app, { legal_name: 'Kwanza Traders Limited' })
    const person = await submittedPerson()
    await app.owner.pool.query('alter table verifications disable trigger verifications_go_on')
    await app.owner.pool.query(
      `update verifications set submitted_at = submitted_at - interval '50 hours' where merchant_id = (select id from merchants where kind = 'business' order by created_at desc limit 1)`,
    )
    await app.owner.pool.query('alter table verifications enable trigger verifications_go_on')
    const tab = await operatorTab(place(), admin)
    await tab.goto('/admin/reviews')
    const row = (name: string) => tab.getByRole('row').filter({ hasText: name })
    await row('Kwanza Traders Limited').getByText('overdue').waitFor()
    assert.deepEqual((await rowNames(tab)).slice(0, 2), ['Kwanza Traders Limited', person.name])
    await tab.getByRole('region', { name: 'Businesses waiting' }).getByText('1 overdue', { exact: true }).waitFor()

    await t.test('claimed with a click, seen by others within two seconds', async () => {
      const other = await operatorTab(place(), await app.admin())
      await other.goto('/admin/reviews')
      await other.getByRole('button', { name: `Take: ${person.name}` }).waitFor()
      await tab.getByRole('button', { name: `Take: ${person.name}` }).click()
      await row(person.name).getByText('You', { exact: true }).waitFor()
      await other.getByRole('row').filter({ hasText: person.name }).getByText('Rehema Ops').waitFor({ timeout: 3_000 })
      await other.context().close()
    })

    await t.test('j and k move between rows, t claims, Enter opens; the switch turns them off', async () => {
      await tab.getByRole('radiogroup', { name: 'Assigned to' }).getByText('All').click()
      const focused = () => tab.evaluate<string>('document.activeElement.textContent')
      await tab.keyboard.press('j')
      assert.equal(await focused(), 'Kwanza Traders Limited')
      await tab.keyboard.press('j')
      assert.equal(await focused(), person.name)
      await tab.keyboard.press('k')
      assert.equal(await focused(), 'Kwanza Traders Limited')
      await tab.keyboard.press('t')
      await row('Kwanza Traders Limited').getByText('You', { exact: true }).waitFor()
      await tab.getByLabel('Keys: j and k').uncheck()
      await tab.locator('body').press('j')
      assert.notEqual(await focused(), person.name)
      await tab.getByLabel('Keys: j and k').check()
      await tab.locator('[data-row]').first().focus()
      await tab.keyboard.press('Enter')
      await tab.getByRole('heading', { level: 1, name: 'Kwanza Traders Limited' }).waitFor()
    })

    await t.test('the address contains the filters', async () => {
      await tab.goto('/admin/reviews')
      await tab.getByRole('radiogroup', { name: 'Kind' }).getByText('People').click()
      await tab.waitForURL(/kind=person/)
      await row('Kwanza Traders Limited').waitFor({ state: 'detached' })
      await tab.getByRole('radiogroup', { name: 'Assigned to' }).getByText('No one').click()
      await tab.getByText('No matching case').waitFor()
      await decideBusiness(app, admin, business.id, { status: 'verified' })
      await tab.goto('/admin/reviews?status=verified&kind=business')
      await row('Kwanza Traders Limited').getByText('Verified').waitFor()
    })

    await t.test('the layout is right in both languages and at every size', async () => {
      await tab.goto('/admin/reviews')
      await looksRightEverywhere(tab, 'reviews', () =>
        row(person.name)
          .or(tab.getByRole('listitem').filter({ hasText: person.name }))
          .waitFor(),
      )
    })
  })

  test('[A2] a queue of 10,000 answers in less than 300 ms', async (t) => {
    const crowded = await startTestApp(t)
    const admin = await crowded.admin()
    const student = await crowded.student({ verified: false })
    await submitKyc(crowded, student)
    await fillQueue(crowded, student.email, 10_000)
    const tab = await operatorTab({ browser, app: crowded }, admin)
    await tab.goto('/admin/reviews')
    await tab.getByText('10,001').waitFor()
    await tab.locator('[data-row]').nth(49).waitFor()
    assert.equal(await tab.locator('[data-row]').count(), 50)
    const times: number[] = []
    for (let turn = 0; turn < 9; turn += 1) {
      const startedAt = performance.now()
      await read('/v1/admin/reviews?limit=50', admin.token, crowded)
      times.push(performance.now() - startedAt)
    }
    const median = times.toSorted((one, other) => one - other)[4]!
    assert.ok(median < 300, `${median} ms`)
    await tab.getByRole('button', { name: 'Older' }).click()
    await tab.waitForURL(/cursor=/)
    await tab.getByRole('button', { name: 'Back to the newest' }).waitFor()
    await tab.context().close()
  })

  test('[A3] a case shows data beside documents, duplicates, changes, and whether the representative is verified', async (t) => {
    const admin = await app.admin()
    const { business, student, urls } = await submittedBusiness(app, {
      legal_name: 'Pili Traders Limited',
      phone: '+255222119911',
    })
    await submittedBusiness(app, { legal_name: 'Pili Mwingine Limited', phone: '+255222119911' })
    await decideBusiness(app, admin, business.id, { status: 'rejected', reason_codes: ['address_not_proven'] })
    await app.call('PATCH', `/v1/businesses/${business.id}`, { token: student.token, body: { address: 'Kiwanja 14' } })
    const fresh = await upload(app, student, `/v1/businesses/${business.id}`, 'proof_of_address')
    await submitBusiness(app, student, business.id, { ...urls, proof_of_address_url: fresh })

    const tab = await operatorTab(place(), admin)
    await tab.goto(`/admin/reviews/${business.id}`)
    await tab.getByRole('heading', { level: 1, name: 'Pili Traders Limited' }).waitFor()
    const data = tab.getByRole('region', { name: 'Submitted data' })
    await data.getByText('Kiwanja 14').waitFor()
    await data.getByText('Verified').waitFor()
    const representative = await read(`/v1/admin/kyc/${student.userId}`, admin.token)
    await data.getByText(representative.full_name).waitFor()
    await data.getByText('Kinondoni').waitFor()
    await data.getByText('not in the list of regions').waitFor()
    await tab
      .getByRole('alert')
      .filter({ hasText: 'Duplicates' })
      .getByText(/Pili Mwingine Limited: .*phone/)
      .waitFor()
    const changes = tab.getByRole('table', { name: 'Changes since the previous submission' }).first()
    await changes.getByText('Plot 12, Bagamoyo Road').waitFor()
    await changes.getByRole('rowheader', { name: 'Proof of address' }).waitFor()

    const documents = tab.getByRole('region', { name: 'Documents' })
    const { submitted_documents } = await read(`/v1/admin/businesses/${business.id}`, admin.token)
    assert.equal(await documents.getByRole('list', { name: 'Documents' }).getByRole('listitem').count(), 4)
    for (const { sha256, content_type } of submitted_documents) {
      await documents.getByTitle(sha256).first().waitFor()
      await documents.getByText(content_type).first().waitFor()
    }

    await t.test('a picture and a PDF are shown in the page, enlarged and turned', async () => {
      for (const name of ['Registration certificate', 'Proof of address', 'Business licence']) {
        await documents.getByRole('button', { name: `Open: ${name}` }).click()
        const picture = documents.getByRole('img', { name: `Copy of: ${name}` })
        await picture.waitFor()
        assert.ok(
          await tab.evaluate<boolean>(
            `(async () => { const image = document.querySelector('img[alt^="Copy of"]'); await image.decode(); return image.naturalWidth > 100 })()`,
          ),
        )
      }
      const picture = documents.getByRole('img')
      const { width } = (await picture.boundingBox())!
      await documents.getByRole('button', { name: 'Larger' }).click()
      await documents.getByText('150% · 0°').waitFor()
      assert.ok((await picture.boundingBox())!.width > width * 1.4)
      await documents.getByRole('button', { name: 'Reset' }).click()
      await documents.getByRole('button', { name: 'Rotate' }).click()
      await documents.getByText('100% · 90°').waitFor()
      assert.equal(await tab.evaluate<string>(`getComputedStyle(document.querySelector('img[alt^="Copy of"]')).rotate`), '90deg')
    })

    await t.test('the picture is beside the data on a wide screen, also further down, and below it on a phone', async () => {
      const places = async () => {
        const picture = documents.getByRole('img')
        const [beside, name] = [await picture.boundingBox(), await data.getByText('Pili Traders Limited').boundingBox()]
        assert.ok(beside && name)
        return { picture: beside, name }
      }
      await documents.getByRole('button', { name: 'Open again: Business licence' }).click()
      await documents.getByRole('img').waitFor()
      await tab.evaluate('scrollTo(0, 0)')
      const wide = await places()
      assert.ok(wide.picture.x > wide.name.x + wide.name.width, 'at its right')
      assert.ok(wide.picture.y < 320, `in view with the first fact: ${wide.picture.y}`)
      await tab.getByRole('button', { name: 'Approve' }).scrollIntoViewIfNeeded()
      const { picture } = await places()
      assert.ok(picture.y > 0 && picture.y < 400, `still in view at the decision: ${picture.y}`)
      await tab.setViewportSize({ width: 360, height: 740 })
      await documents.getByRole('button', { name: 'Open: Tax certificate' }).click()
      await documents.getByRole('img', { name: 'Copy of: Tax certificate' }).waitFor()
      await eventually('the picture is in view', async () => {
        const { picture: below, name } = await places()
        return below.y > name.y && below.y < 700
      })
      await tab.setViewportSize({ width: 1280, height: 800 })
    })

    await t.test('the marks for checked items survive a reload, and approval needs all of them', async () => {
      await documents.getByRole('checkbox', { name: 'Checked: Tax certificate' }).check()
      await tab.getByText('3 left').waitFor()
      assert.ok(await tab.getByRole('button', { name: 'Approve' }).isDisabled())
      await tab.reload()
      assert.ok(await documents.getByRole('checkbox', { name: 'Checked: Tax certificate' }).isChecked())
    })

    await looksRightEverywhere(tab, 'review-business', async () => {
      await documents.getByRole('button', { name: 'Open: Tax certificate' }).click()
      await documents.getByRole('img').waitFor()
      await documents
        .getByText(/· by You/)
        .first()
        .waitFor()
    })
    await tab.context().close()
  })

  test('[A5] a document opens through an address that works once, for a minute, for the reviewer who requested it, and each view is recorded', async () => {
    const admin = await app.admin()
    const person = await submittedPerson()
    const tab = await operatorTab(place(), admin)
    await tab.goto(`/admin/reviews/${person.userId}`)
    const documents = tab.getByRole('region', { name: 'Documents' })
    await documents.getByText('Its address opens once').waitFor()
    const opened = tab.waitForResponse(
      (response) => response.request().method() === 'GET' && response.url().includes('/kyc-docs/'),
    )
    await documents.getByRole('button', { name: 'Open: Student card' }).click()
    const response = await opened
    assert.equal(response.status(), 200)
    const headers = response.headers()
    assert.match(headers['cache-control']!, /no-store/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(headers['content-security-policy']!, /sandbox/)
    assert.notEqual(new URL(response.url()).origin, app.config.urls.api)
    const lifetime = Number(new URL(response.url()).searchParams.get('expires')) * 1000 - Date.now()
    assert.ok(lifetime > 0 && lifetime <= 61_000)
    const again = await fetch(response.url(), { headers: { authorization: `Bearer ${admin.token}` } })
    assert.equal(again.status, 403)

    const { national_id_number: stored } = await read(`/v1/admin/kyc/${person.userId}`, admin.token)
    const grouped = [stored.slice(0, 8), stored.slice(8, 13), stored.slice(13, 18), stored.slice(18)].join('-')
    assert.match(grouped, /^\d{8}-\d{5}-\d{5}-\d{2}$/)
    await tab.getByRole('region', { name: 'Submitted data' }).getByText(grouped, { exact: true }).waitFor()

    const looks = documents.getByRole('region', { name: 'Views' })
    await looks.getByText(/by You · 127\.0\.0\.1/).waitFor()
    const { documents: pinned } = await read(`/v1/admin/kyc/${person.userId}`, admin.token)
    const { id } = pinned.find(({ purpose }: { purpose: string }) => purpose === 'student_id_card')
    const entries = await read(`/v1/admin/audit?object=${id}`, admin.token)
    assert.deepEqual(
      entries.map(({ action, actor }: { action: string; actor: string }) => [action, actor]),
      [
        ['document.viewed', admin.userId],
        ['document.view_granted', admin.userId],
      ],
    )
    // The displayed document is only in the memory of the tab.
    assert.match((await documents.getByRole('img').getAttribute('src'))!, /^blob:/)
    await tab.context().close()
  })

  test('[A3] where the setting is on, the screen says which documents this reviewer must open first, before the button is pressed', async (t) => {
    const strict = await startTestApp(t, { settings: { REVIEW_NEEDS_OPENED_DOCUMENTS: 'true' } })
    const student = await strict.student({ verified: false })
    assert.equal((await submitKyc(strict, student)).status, 200)
    const tab = await operatorTab({ browser, app: strict }, await strict.admin())
    await tab.goto(`/admin/reviews/${student.userId}`)
    const decision = tab.getByRole('region', { name: 'Decision' })
    const documents = tab.getByRole('region', { name: 'Documents' })
    const names = ['National identity card', 'Student card', 'Picture of the person']
    await decision.getByText(`Open these documents first: ${names.join(', ')}.`).waitFor()
    for (const name of names) await documents.getByLabel(`Checked: ${name}`).check()
    for (const name of ['Approve', 'Reject']) assert.ok(await tab.getByRole('button', { name, exact: true }).isDisabled(), name)
    for (const [place, name] of names.entries()) {
      await documents.getByRole('button', { name: `Open: ${name}` }).click()
      await documents.getByText('You have opened it').nth(place).waitFor()
    }
    assert.equal(await documents.getByText('Not opened by you yet').count(), 0)
    assert.ok(await tab.getByRole('button', { name: 'Reject', exact: true }).isEnabled())
    await tab.getByRole('button', { name: 'Approve' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Verify' }).click()
    await decision.getByText('Verified').waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  test('[A4] a rejection needs a reason, and its owner reads the text that the operator was shown, in both languages', async () => {
    const admin = await app.admin()
    const { business, student } = await submittedBusiness(app, { legal_name: 'Tatu Traders Limited' })
    const tab = await operatorTab(place(), admin)
    await tab.goto(`/admin/reviews/${business.id}`)
    await tab.getByRole('button', { name: 'Reject', exact: true }).click()
    const dialog = tab.getByRole('dialog', { name: 'Reject Tatu Traders Limited' })
    const send = dialog.getByRole('button', { name: 'Reject', exact: true })
    await dialog.getByText('Choose a reason or write one.').waitFor()
    assert.ok(await send.isDisabled())
    assert.equal(await dialog.getByText('selfie').count(), 0, 'a reason that applies only to people is not offered')
    await dialog.getByLabel('One or more documents have expired.').check()
    await dialog.getByLabel('The name on the documents is not').check()
    await dialog.getByLabel('Additional text').fill('Leseni ni ya 2019.')
    const shown = await dialog.getByRole('region', { name: 'Message to the owner' }).locator('p').last().textContent()
    assert.match(shown!, /Hati moja au zaidi imeisha muda wake[^]*Leseni ni ya 2019\.$/)
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    await send.click()
    await dialog.waitFor({ state: 'detached' })
    await tab.getByText('Tatu Traders Limited is rejected.').waitFor()
    const theirs = await read(`/v1/businesses/${business.id}`, student.token)
    assert.deepEqual([theirs.status, theirs.rejection_reason], ['rejected', shown])
    const [decided] = await read(`/v1/admin/audit?object=${business.id}&limit=1`, admin.token)
    assert.equal(decided.actor, admin.userId)
    assert.ok(decided.before !== null && decided.after !== null)
    await tab.context().close()
  })

  test('[A4] when two operators decide at once, the second is notified and their decision has no effect', async () => {
    const [first, second] = [await app.admin(), await app.admin()]
    const { business } = await submittedBusiness(app, { legal_name: 'Nne Traders Limited' })
    const tab = await operatorTab(place(), second)
    // The polling of the console is blocked; only its decision reports the change.
    await tab.route('**/v1/admin/businesses?*', (route) => route.abort())
    await tab.goto(`/admin/reviews/${business.id}`)
    await tab.getByRole('button', { name: 'Reject', exact: true }).click()
    await tab.getByLabel('Additional text').fill('Sivyo.')
    await decideBusiness(app, first, business.id, { status: 'verified' })
    await tab.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click()
    const notice = tab.getByRole('alert').filter({ hasText: 'This case has changed since you opened it' })
    await notice.waitFor()
    assert.equal((await read(`/v1/admin/businesses/${business.id}`, first.token)).status, 'verified')
    await notice.getByRole('button', { name: 'Show the current version' }).click()
    await tab.getByRole('region', { name: 'Decision' }).getByText('Verified').waitFor()
    await notice.waitFor({ state: 'hidden' })

    // An operator who only reads the case is notified as well, without any action.
    const { business: other } = await submittedBusiness(app, { legal_name: 'Tano Traders Limited' })
    await tab.unroute('**/v1/admin/businesses?*')
    await tab.goto(`/admin/reviews/${other.id}`)
    await tab.getByRole('button', { name: 'Reject', exact: true }).waitFor()
    await decideBusiness(app, first, other.id, { status: 'verified' })
    await notice.waitFor({ timeout: 4_000 })
    await tab.context().close()
  })

  const focusedText = (tab: Tab) =>
    tab.evaluate<string>(
      `(() => { const at = document.activeElement; return at.getAttribute('aria-label') ?? (at.labels?.[0]?.textContent || at.textContent) })()`,
    )

  /** Presses Tab until this element has the focus. */
  async function tabTo(tab: Tab, name: RegExp, limit = 80): Promise<void> {
    for (let step = 0; step < limit; step += 1) {
      await tab.keyboard.press('Tab')
      if (name.test(await focusedText(tab))) return
    }
    assert.fail(`Tab did not lead to ${name}`)
  }

  test('[A4] a business is reviewed and verified with the keyboard alone, in Swahili', async () => {
    const admin = await app.admin()
    const { business, student } = await submittedBusiness(app, { legal_name: 'Sita Traders Limited' })
    const tab = await operatorTab(place(), admin, { language: 'sw' })
    await tab.goto('/admin/reviews?kind=business')
    await tab.getByRole('link', { name: 'Sita Traders Limited' }).waitFor()
    await tabTo(tab, /^Sita Traders Limited$/)
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: 'Sita Traders Limited' }).waitFor()
    for (const purpose of ['Cheti cha usajili', 'Cheti cha kodi', 'Leseni ya biashara', 'Uthibitisho wa anwani']) {
      await tabTo(tab, new RegExp(`^Iangalie: ${purpose}`))
      await tab.keyboard.press('Enter')
      await tab.getByRole('img', { name: `Nakala ya: ${purpose}` }).waitFor()
      await tabTo(tab, new RegExp(`^Imekaguliwa: ${purpose}`))
      await tab.keyboard.press('Space')
    }
    await tabTo(tab, /^Thibitisha$/)
    await tab.keyboard.press('Enter')
    const dialog = tab.getByRole('dialog')
    await dialog.waitFor()
    await tab.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await eventually('the focus is back', async () => (await focusedText(tab)) === 'Thibitisha')
    await tab.keyboard.press('Enter')
    await dialog.waitFor()
    await tabTo(tab, /^Thibitisha$/)
    await tab.keyboard.press('Enter')
    await tab.getByText('Sita Traders Limited imethibitishwa.').waitFor()
    assert.equal((await read(`/v1/businesses/${business.id}`, student.token)).status, 'verified')
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  test('[A1] an operator decides in a session with a second factor, however long ago it was used', async () => {
    const admin = await app.admin()
    const { business } = await submittedBusiness(app, { legal_name: 'Saba Traders Limited' })
    await app.owner.pool.query(
      `update sessions set authenticated_at = authenticated_at - interval '10 minutes' where user_id = (select id from users where email = $1)`,
      [admin.email],
    )
    const tab = await operatorTab(place(), admin)
    await tab.goto(`/admin/reviews/${business.id}`)
    await tab.getByRole('button', { name: 'Reject', exact: true }).click()
    await tab.getByLabel('Additional text').fill('Sivyo.')
    await tab.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click()
    await tab.getByText('Saba Traders Limited is rejected.').waitFor()
    await tab.context().close()
  })
})
