/**
 * A person manages their account in a real Chromium: their data, the second step, the password, their sessions, mails and language.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { codeNow, eventually, startTestApp, type Student } from '../app.ts'
import { openContent } from '../../server/base/mail/mail.ts'
import { accessibilityProblems, keepPicture, overflows, startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, signedInTab, type Tab } from './dashboard.ts'

// A CommonJS module whose types claim that it is an ES module.
const readCode = jsqr as unknown as typeof jsqr.default

test('a person manages their account', async (t) => {
  const app = await startTestApp(t)
  const browser = await startBrowser(t)
  const place = { browser, app }
  const ask = async ({ token }: Student, path: string) => (await app.call('GET', path, { token })).body.data
  const part = (tab: Tab, name: string) => tab.getByRole('region', { name })
  /** Signs in as from another device. */
  const signInElsewhere = async ({ email, password }: Pick<Student, 'email' | 'password'>, agent: string) => {
    const { status, body } = await app.call('POST', '/v1/auth/login', {
      body: { identifier: email, password },
      headers: { 'user-agent': agent },
    })
    assert.equal(status, 200)
    return body.data.access_token as string
  }
  const isSignedIn = async (token: string) => (await app.call('GET', '/v1/me', { token })).status === 200

  await t.test('[D12] a person’s data can be changed, except a name that was compared with documents', async () => {
    const student = await app.student({ verified: false })
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    await tab.getByRole('button', { name: /^Your account/ }).click()
    await tab.getByRole('menuitem', { name: 'Account and security' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await part(tab, 'You').getByText(student.email).waitFor()
    await tab.getByLabel('Full name').fill(' ')
    await part(tab, 'You').getByRole('button', { name: 'Save' }).click()
    await part(tab, 'You').getByText('This is required.').waitFor()
    await tab.getByLabel('Full name').fill('Asha Mwinyi')
    await tab.getByLabel('University or college').fill('SUA')
    await part(tab, 'You').getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Saved.').waitFor()
    const { full_name, institution } = await ask(student, '/v1/me')
    assert.deepEqual([full_name, institution], ['Asha Mwinyi', 'SUA'])
    await tab.getByRole('button', { name: /^Your account: Asha Mwinyi/ }).waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()

    const verified = await app.student()
    const fixed = await signedInTab(place, verified)
    await fixed.goto('/dashboard/profile')
    assert.equal(await fixed.getByLabel('Full name').isEditable(), false)
    await fixed.getByText('It was compared with your documents').waitFor()
    await fixed.getByLabel('University or college').fill('UDOM')
    await part(fixed, 'You').getByRole('button', { name: 'Save' }).click()
    await fixed.getByText('Saved.').waitFor()
    await fixed.context().close()
  })

  await t.test('[D12] the second step: connected by its picture, required at sign-in, required again, removed', async () => {
    const student = await app.student()
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/profile')
    await part(tab, 'Second factor for sign-in').getByRole('button', { name: 'Connect an app' }).click()
    const dialog = tab.getByRole('dialog')
    const { data, info } = await sharp(await dialog.getByRole('img', { name: 'QR code of the secret' }).screenshot())
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const address = new URL(readCode(new Uint8ClampedArray(data), info.width, info.height)!.data)
    assert.equal(address.protocol, 'otpauth:')
    const secret = address.searchParams.get('secret')!
    await dialog.getByLabel('The six digits that the app shows').fill('000000')
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await dialog.getByText('The code is wrong').waitFor()
    await keepPicture(tab, 'second-step-connect')
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    await dialog.getByLabel('The six digits that the app shows').fill(codeNow(secret))
    await dialog.getByRole('button', { name: 'Connect' }).click()
    const list = dialog.getByRole('list', { name: 'Recovery codes' })
    await list.waitFor()
    const codes = await list.getByRole('listitem').allTextContents()
    assert.equal(codes.length, 10)
    await keepPicture(tab, 'second-step-codes')
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    assert.equal(await dialog.getByRole('button', { name: 'Continue' }).isDisabled(), true)
    await tab.keyboard.press('Escape')
    assert.equal(await list.isVisible(), true, 'an accidental click does not close them')
    await dialog.getByLabel('I have saved them').check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await tab.getByText('10 recovery codes are left.').waitFor()
    assert.equal((await ask(student, '/v1/me')).two_factor.enabled, true)

    const guest = await guestTab(place)
    await guest.goto('/dashboard/profile')
    await guest.getByLabel('E-mail address or phone number').fill(student.email)
    await guest.getByLabel('Password', { exact: true }).fill(student.password)
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.getByRole('button', { name: 'Use a recovery code' }).click()
    await guest.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0]!)
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.getByText('9 recovery codes are left.').waitFor()

    // A session that was left open: connecting a factor again requires authentication first.
    await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '10 minutes'`)
    await guest.getByRole('button', { name: 'Connect again, with new recovery codes' }).click()
    const asked = guest.getByRole('dialog', { name: 'Verify that it is you' })
    await asked.getByLabel('Code of your authenticator app').fill(codes[1]!)
    await asked.getByRole('button').last().click()
    await guest.getByRole('img', { name: 'QR code of the secret' }).waitFor()
    await guest.keyboard.press('Escape')
    await guest.getByRole('dialog').waitFor({ state: 'detached' })
    await guest.getByText('8 recovery codes are left.').waitFor()

    await guest.getByRole('button', { name: 'Turn it off' }).click()
    const removal = guest.getByRole('dialog')
    await removal.getByLabel('Code from the app').fill('wrong-code')
    await removal.getByRole('button', { name: 'Turn it off' }).click()
    await removal.getByText('The code is wrong').waitFor()
    assert.deepEqual(await accessibilityProblems(guest, '[role=dialog]'), [])
    await removal.getByLabel('Code from the app').fill(codes[2]!)
    await removal.getByRole('button', { name: 'Turn it off' }).click()
    await guest.getByText('The second factor is off.').waitFor()
    // This also signs out the other devices.
    await tab.getByText('Your session has ended.').waitFor()
    assert.deepEqual([...tab.problems, ...guest.problems], [])
    await tab.context().close()
    await guest.context().close()
  })

  await t.test('[D12] the password is changed with the old one, and all other sessions have to sign in again', async () => {
    const student = await app.student()
    const elsewhere = await signInElsewhere(student, 'Mozilla/5.0 (Linux; Android 14) Chrome/141.0 Mobile')
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/profile')
    const password = part(tab, 'Password')
    await password.getByLabel('Current password').fill('not this one at all')
    await password.getByLabel('New password').fill('short')
    await password.getByRole('button', { name: 'Change the password' }).click()
    await password.getByText('It needs 12 to 128 characters.').waitFor()
    await password.getByLabel('New password').fill('the rain falls in April')
    await password.getByRole('button', { name: 'Change the password' }).click()
    await password.getByText('This is not your password.').waitFor()
    await password.getByLabel('Current password').fill(student.password)
    await password.getByRole('button', { name: 'Change the password' }).click()
    await tab.getByText(/Your password is changed; \d other devices? (was|were) signed out\./).waitFor()
    assert.equal(await password.getByLabel('New password').inputValue(), '')
    assert.equal(await isSignedIn(elsewhere), false)
    await signInElsewhere({ ...student, password: 'the rain falls in April' }, 'curl/8')
    await tab.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D12] sessions are listed with their devices, ended one by one, and all except this one', async () => {
    const student = await app.student()
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/profile')
    const list = tab.getByRole('list', { name: 'Where you are signed in' })
    await list.getByText('This device').waitFor()
    const phone = await signInElsewhere(
      student,
      'Mozilla/5.0 (Linux; Android 14; SM-A146P) Chrome/141.0.0.0 Mobile Safari/537.36',
    )
    const mac = await signInElsewhere(student, 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15')
    const program = await signInElsewhere(student, 'curl/8.5.0')
    await list.getByRole('listitem').filter({ hasText: 'Safari, Mac' }).waitFor()
    assert.match((await list.getByRole('listitem').first().textContent())!, /This device/)
    await list.getByRole('button', { name: 'Sign out: Chrome, Android' }).click()
    await list.getByText('Chrome, Android').waitFor({ state: 'detached' })
    assert.deepEqual([await isSignedIn(phone), await isSignedIn(mac)], [false, true])
    await tab.getByRole('button', { name: 'Sign out all others' }).click()
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await isSignedIn(mac), true)
    await tab.getByRole('button', { name: 'Sign out all others' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Sign them out' }).click()
    await eventually('this one is left', async () => (await list.getByRole('listitem').count()) === 1)
    assert.deepEqual([await isSignedIn(mac), await isSignedIn(program), await isSignedIn(student.token)], [false, false, false])
    await list.getByText('This device').waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D12] mails are chosen, the choice stays, and the language changes to Swahili or English at once', async () => {
    const student = await app.student()
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/profile')
    const payments = tab.getByRole('switch', { name: 'Payments that come in' })
    assert.equal(await payments.isChecked(), false)
    await payments.click({ force: true })
    await tab.getByText('Saved.').first().waitFor()
    assert.equal((await ask(student, '/v1/me/notifications')).payment_received, true)
    // The screen shows nothing as saved that was not saved.
    await tab.route('**/v1/me/notifications', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await tab.getByRole('switch', { name: 'A sign-in from a new device' }).click({ force: true })
    await tab.getByText('The service cannot be reached').first().waitFor()
    assert.equal(await tab.getByRole('switch', { name: 'A sign-in from a new device' }).isChecked(), true)
    await tab.unroute('**/v1/me/notifications')
    await tab.getByText('Kiswahili').last().click()
    await tab.getByRole('heading', { level: 1, name: 'Akaunti yako' }).waitFor()
    assert.equal(await tab.locator('html').getAttribute('lang'), 'sw')
    await tab.reload()
    await tab.getByRole('heading', { level: 1, name: 'Akaunti yako' }).waitFor()
    assert.equal(await tab.getByRole('switch', { name: 'Malipo yanayoingia' }).isChecked(), true)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D12] the e-mail address and the phone number are changed with a mailed code, also after a reload', async () => {
    const student = await app.student()
    const codeTo = async (email: string, kind: string): Promise<string> => {
      const { rows } = await app.owner.pool.query(
        'select id, sealed_content from mails where recipient = $1 and kind = $2 order by created_at desc limit 1',
        [email, kind],
      )
      return /^\d{6}$/m.exec(openContent(app.deps.sealer, rows[0].id, rows[0].sealed_content).text)![0]
    }
    const elsewhere = await signInElsewhere(student, 'curl/8')
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/profile')
    await tab.getByRole('button', { name: 'Change your e-mail address' }).waitFor()
    await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '10 minutes'`)
    const email = 'asha.new@example.com'
    // By keyboard alone: the field has the focus, and Enter sends.
    await tab.getByRole('button', { name: 'Change your e-mail address' }).press('Enter')
    const dialog = tab.getByRole('dialog', { name: 'Change your e-mail address' })
    const field = dialog.getByLabel('New e-mail address')
    await field.waitFor()
    await keepPicture(tab, 'contact-email')
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    await tab.keyboard.press('Enter')
    await dialog.getByText('This is required.').waitFor()
    await field.fill('asha.new')
    await tab.keyboard.press('Enter')
    const asked = tab.getByRole('dialog', { name: 'Verify that it is you' })
    await asked.getByRole('textbox', { name: 'Password' }).fill(student.password)
    await tab.keyboard.press('Enter')
    await asked.waitFor({ state: 'detached' })
    await dialog.getByText('Enter a valid e-mail address').waitFor()
    await field.fill(student.email)
    await tab.keyboard.press('Enter')
    await dialog.getByText('Your account has this already.').waitFor()
    await field.fill(email)
    await tab.keyboard.press('Enter')
    await dialog.getByText(`If ${email} can be used, a code is in its mail.`).waitFor()
    await tab.reload()
    await tab.getByText(`A change to ${email} waits`).waitFor()
    await looksRightEverywhere(tab, 'profile-waiting', () => tab.getByText(`A change to ${email} waits`).waitFor())
    await tab.getByRole('button', { name: 'Enter the code' }).click()
    const code = await codeTo(email, 'email_change')
    await dialog.getByLabel('Six digits from the mail').fill(code === '111111' ? '222222' : '111111')
    await dialog.getByRole('button', { name: 'Confirm the change' }).click()
    await dialog.getByText('The code is wrong, expired or already used').waitFor()
    await keepPicture(tab, 'contact-code')
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    await dialog.getByLabel('Six digits from the mail').fill(code)
    await dialog.getByRole('button', { name: 'Confirm the change' }).click()
    await tab.getByText('Your e-mail address is changed.').waitFor()
    await part(tab, 'You').getByText(email).waitFor()
    assert.equal(await tab.getByText('waits for the code').count(), 0)
    assert.deepEqual([await isSignedIn(elsewhere), await isSignedIn(student.token)], [false, false])

    await app.owner.pool.query('delete from mailed_tokens')
    await tab.getByRole('button', { name: 'Change your phone number' }).click()
    const other = tab.getByRole('dialog', { name: 'Change your phone number' })
    await other.getByText(`We mail a code to ${email}.`).waitFor()
    await other.getByLabel('New phone number').fill('0713 999 888')
    await other.getByRole('button', { name: 'Mail the code' }).click()
    await other.getByText('To change to 0713 999 888').waitFor()
    await other.getByLabel('Six digits from the mail').fill(await codeTo(email, 'phone_number_change'))
    await other.getByRole('button', { name: 'Confirm the change' }).click()
    await part(tab, 'You').getByText('0713 999 888').waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D12] on a phone, in Swahili, the dialogs of a change fit', async () => {
    const student = await app.student()
    const tab = await signedInTab(place, student, { size: 'phone', language: 'sw' })
    await tab.goto('/dashboard/profile')
    await tab.getByRole('button', { name: 'Badilisha namba yako ya simu' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Badilisha namba yako ya simu' })
    await dialog.getByLabel('Namba mpya ya simu').fill('0713 999 777')
    await keepPicture(tab, 'contact-phone-sw')
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    await dialog.getByRole('button', { name: 'Tuma msimbo' }).click()
    await dialog.getByText('Ili kubadilisha kuwa 0713 999 777').waitFor()
    await keepPicture(tab, 'contact-phone-code-sw')
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    assert.equal(await overflows(tab), false)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D15, D12] the account fits at every width, in light and dark, in both languages', async () => {
    const student = await app.student()
    for (const language of ['en', 'sw'] as const) {
      const tab = await signedInTab(place, student, { language })
      await tab.goto('/dashboard/profile')
      await looksRightEverywhere(tab, `profile-${language}`, () => tab.getByRole('switch').last().waitFor())
      await tab.context().close()
    }
  })
})
