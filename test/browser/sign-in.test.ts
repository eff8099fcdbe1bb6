/** Sign-in to the merchants' dashboard in a real Chromium: the accepted users, the length of a session, and the data it shows. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { registerBusiness } from '../onboarding.ts'
import { eventually, startTestApp, type Student, type TestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, readableStorage, signedInTab, tabBeside, type Tab } from './dashboard.ts'

const available = (tab: Tab) => tab.getByRole('region', { name: 'Available' })

async function fillIn(tab: Tab, { email, password }: Pick<Student, 'email' | 'password'>): Promise<void> {
  await tab.getByLabel('E-mail address or phone number').fill(email)
  await tab.getByLabel('Password', { exact: true }).fill(password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
}

/** A code of the app for the previous half minute, which is also accepted, so that the current one stays unused. */
function codeBefore(secret: string): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() - 30_000 })
}

async function enroll(app: TestApp, { token }: Student): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await app.call('POST', '/v1/auth/2fa/enroll', { token })).body.data
  const { status, body } = await app.call('POST', '/v1/auth/2fa/confirm', { token, body: { code: codeBefore(secret) } })
  assert.equal(status, 200, JSON.stringify(body))
  return { secret, recoveryCodes: body.data.recovery_codes }
}

/** The newest code mailed to an address for a purpose. */
async function mailedCode(app: TestApp, email: string, kind: RegExp): Promise<string> {
  return eventually('the mail is in the folder', async () => {
    const names = (await readdir(app.config.mail.folder).catch(() => [])).filter((name) => name.endsWith('.json'))
    const mails = await Promise.all(
      names.toSorted().map(async (name) => JSON.parse(await readFile(join(app.config.mail.folder, name), 'utf8'))),
    )
    const mail = mails.findLast(({ to, subject }) => to === email && kind.test(subject))
    return mail && /^\d{6}$/m.exec(mail.text)?.[0]
  })
}

async function tokenOf(app: TestApp, { email, password }: Student): Promise<string> {
  const { body } = await app.call('POST', '/v1/auth/login', { body: { identifier: email, password } })
  return body.data.access_token
}

const endSessionsOf = (app: TestApp, { email }: Pick<Student, 'email'>) =>
  app.owner.pool.query(
    `update sessions set revoked_at = clock_now(), revoked_reason = 'revoked_by_user'
     where revoked_at is null and user_id = (select id from users where email = $1)`,
    [email],
  )

test('a merchant signs in and out', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const place = { browser, app }
  const student = await app.student()
  const page = await app.page(student, { amount: 4_200 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)

  await t.test(
    '[D1] a signed-in user stays signed in through a reload and in a second tab, and scripts can read nothing',
    async () => {
      const tab = await guestTab(place)
      const foreign: string[] = []
      tab.on('request', (request) => new URL(request.url()).origin === app.config.urls.api || foreign.push(request.url()))
      await tab.goto('/dashboard/me/test')
      await tab.waitForURL(/\/dashboard\/sign-in\?return=/)
      await fillIn(tab, { ...student, password: 'not the password' })
      await tab.getByRole('alert').getByText('is wrong').waitFor()
      await fillIn(tab, student)
      await available(tab).getByText('TSh 4,200').waitFor()
      assert.equal(new URL(tab.url()).pathname, '/dashboard/me/test')
      const kept = await readableStorage(tab)
      assert.doesNotMatch(kept, /mrt_|eyJ|Bearer/)
      await tab.reload()
      const beside = await tabBeside(tab)
      await beside.goto('/dashboard/me/test')
      for (const one of [tab, beside]) await available(one).getByText('TSh 4,200').waitFor()

      await beside.getByRole('button', { name: /^Your account/ }).click()
      await beside.getByRole('menuitem', { name: 'Sign out' }).click()
      for (const one of [beside, tab]) await one.waitForURL(/\/sign-in/)
      await tab.goto('/dashboard/me/test')
      await tab.waitForURL(/\/sign-in/)
      assert.deepEqual([...tab.problems, ...beside.problems, ...foreign], [])
    },
  )

  await t.test('[D1] signing out in one tab forgets what was typed in every tab', async () => {
    const tab = await signedInTab(place, student)
    const beside = await tabBeside(tab)
    for (const one of [tab, beside]) {
      await one.goto('/dashboard/me/test/payouts/new')
      await one.getByLabel('Mobile money number').fill('0754 000 123')
      await one.getByLabel('Name of the recipient').fill('Rehema Ali')
      assert.match(await readableStorage(one), /Rehema Ali/)
    }
    await beside.getByRole('button', { name: /^Your account/ }).click()
    await beside.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const one of [beside, tab]) {
      await one.waitForURL(/\/sign-in/)
      assert.doesNotMatch(await readableStorage(one), /Rehema|0754/)
    }
  })

  await t.test('[D1] two tabs whose tokens expire at the same moment both continue', async () => {
    const tab = await signedInTab(place, student)
    const beside = await tabBeside(tab)
    const renewals: number[] = []
    for (const one of [tab, beside]) {
      one.on('response', (response) => response.url().endsWith('/v1/auth/refresh') && renewals.push(response.status()))
      await one.clock.install()
      await one.goto('/dashboard/me/test')
      await available(one).getByText('TSh 4,200').waitFor()
    }
    renewals.length = 0
    await Promise.all([tab.clock.fastForward('16:00'), beside.clock.fastForward('16:00')])
    await Promise.all([tab.mouse.move(5, 5), beside.mouse.move(5, 5)])
    await Promise.all([tab.clock.runFor(3_000), beside.clock.runFor(3_000)])
    await eventually('both have renewed their token', () => renewals.length >= 2)
    assert.deepEqual(new Set(renewals), new Set([200]))
    for (const one of [tab, beside]) assert.equal(new URL(one.url()).pathname, '/dashboard/me/test')
    await tab.reload()
    await available(tab).getByText('TSh 4,200').waitFor()
  })

  await t.test('[D1] after a session ends, the next sign-in leads back to the same page with its filter', async () => {
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test/payments?status=completed')
    await tab.getByRole('heading', { level: 1 }).waitFor()
    await endSessionsOf(app, student)
    await tab.waitForURL(/\/sign-in/)
    await tab.getByText('Your session has ended').waitFor()
    await fillIn(tab, student)
    await tab.waitForURL(/\/payments\?status=completed$/)
    assert.equal(new URL(tab.url()).pathname, '/dashboard/me/test/payments')

    // An address of another site is not followed.
    const other = await guestTab(place)
    await other.goto(`/dashboard/sign-in?return=${encodeURIComponent('//evil.example/x')}`)
    await fillIn(other, student)
    await other.waitForURL(/\/dashboard\/me\//)
    assert.deepEqual([...tab.problems, ...other.problems], [])
  })

  await t.test('[D1] test and live, personal and business: always visible, each with separate data', async () => {
    student.token = await tokenOf(app, student)
    const business = await registerBusiness(app, student)
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    await tab.getByText('Test data: no real money moves here.').waitFor()
    await available(tab).getByText('TSh 4,200').waitFor()
    await tab.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click()
    await tab.waitForURL(/\/me\/live$/)
    await available(tab).getByText('TSh 0').waitFor()
    assert.equal(await tab.getByText('Test data:').count(), 0)
    await tab.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click()
    await available(tab).getByText('TSh 4,200').waitFor()
    await tab
      .getByRole('button', { name: /^Switch wallet/ })
      .first()
      .click()
    await tab.getByRole('menuitem', { name: /Mwenge Duka/ }).click()
    await tab.waitForURL(new RegExp(`/${business.id}/test$`))
    await available(tab).getByText('TSh 0').waitFor()
    await tab.getByRole('button', { name: 'Switch wallet: Mwenge Duka' }).first().waitFor()
    // The next visit begins in the last used place; a stranger's business is not accessible.
    await tab.goto('/dashboard/')
    await tab.waitForURL(new RegExp(`/${business.id}/test$`))
    await tab.goto('/dashboard/biz_01m7zaa2a5e07b1r4hvh24znt9/test')
    await tab.getByText('You are not a member of this business').first().waitFor()
    assert.deepEqual(tab.problems, [])
    // On the narrowest phone, in the longer language, the owner of the wallet is still readable.
    const phone = await signedInTab(place, student, { size: 'phone', language: 'sw' })
    await phone.goto(`/dashboard/${business.id}/test`)
    const wallet = phone.getByText('Mwenge Duka').filter({ visible: true }).first()
    await wallet.waitFor()
    const { width } = (await wallet.boundingBox())!
    assert.ok(width > 90, `${width} px are left of the name`)
    await phone.getByRole('navigation', { name: 'Sehemu za kila siku' }).waitFor()
    assert.deepEqual(phone.problems, [])
  })

  await t.test(
    '[D1] the second step takes a pasted code, explains the error of a wrong one, and accepts recovery codes',
    async () => {
      const { secret, recoveryCodes } = await enroll(app, student)
      const tab = await guestTab(place)
      await tab.goto('/dashboard/')
      await fillIn(tab, student)
      const code = tab.getByLabel('Code', { exact: true })
      await code.fill('000000')
      await tab.getByRole('button', { name: 'Sign in' }).click()
      await tab.getByText('code is wrong').waitFor()
      assert.equal(await code.getAttribute('autocomplete'), 'one-time-code')
      const now = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
      await tab.evaluate(`navigator.clipboard.writeText(' ${now} ')`)
      await code.focus()
      await tab.keyboard.press('ControlOrMeta+a')
      await tab.keyboard.press('ControlOrMeta+v')
      await tab.keyboard.press('Enter')
      await available(tab).waitFor()

      const other = await guestTab(place)
      await other.goto('/dashboard/')
      await fillIn(other, student)
      await other.getByRole('button', { name: 'Use a recovery code' }).click()
      await other.getByLabel('Recovery code').fill(recoveryCodes[0]!)
      await other.keyboard.press('Enter')
      await available(other).waitFor()
      assert.deepEqual([...tab.problems, ...other.problems], [])
    },
  )
})

test('a new user', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const place = { browser, app }
  const person = { email: 'neema@example.com', password: 'correct horse battery' }

  await t.test(
    '[D1] a user registers by keyboard alone, keeps the typed text after an error, and confirms the address',
    async () => {
      const taken = await app.student()
      const tab = await guestTab(place)
      await tab.goto('/dashboard/sign-in')
      await tab.getByRole('link', { name: 'Register' }).click()
      const type = async (label: string, text: string): Promise<void> => {
        for (let tabs = 0; tabs < 15; tabs += 1) {
          const focused = await tab.evaluate<string>(`document.activeElement?.labels?.[0]?.textContent ?? ''`)
          if (focused === label) {
            await tab.keyboard.press('ControlOrMeta+a')
            await tab.keyboard.type(text)
            return
          }
          await tab.keyboard.press('Tab')
        }
        assert.fail(`Tab does not lead to ${label}`)
      }
      await tab.getByRole('radio', { name: 'A student' }).waitFor()
      // Who it is comes first. A person who was invited is led to the link of the mail.
      assert.equal(await tab.getByRole('textbox').count(), 0)
      await tab.getByRole('radio', { name: 'A student' }).focus()
      await tab.keyboard.press('ArrowUp')
      await tab.getByText('Open the link in the mail of your invitation').waitFor()
      assert.equal(await tab.getByRole('textbox').count(), 0)
      await tab.keyboard.press('ArrowDown')
      await type('Full name', 'Neema Kimaro')
      await type('E-mail address', person.email)
      await type('Phone number', taken.phoneNumber)
      await type('University or college', 'UDSM')
      await type('Student number', '2023-04-01234')
      await type('Password', person.password)
      await tab.keyboard.press('Enter')
      await tab.getByText('An account with this phone number already exists.').waitFor()
      assert.equal(await tab.getByLabel('Full name').inputValue(), 'Neema Kimaro')
      await tab.getByLabel('Phone number').fill('0713 222 333')
      await tab.keyboard.press('Enter')
      await tab.waitForURL(/\/verify-email$/)
      await tab.getByLabel('Code from the mail').fill('000000')
      await tab.keyboard.press('Enter')
      await tab.getByText('code is wrong').waitFor()
      await tab.getByLabel('Code from the mail').fill(await mailedCode(app, person.email, /Thibitisha|Confirm/i))
      await tab.keyboard.press('Enter')
      // A new account goes on to its first test payment, and from there home.
      await tab.waitForURL(/\/me\/test\/try$/)
      await tab.getByRole('link', { name: 'Home' }).click()
      await tab.waitForURL(/\/me\/test$/)
      const steps = tab.getByRole('region', { name: 'To do' })
      await steps.getByText('Verify your identity').waitFor()
      assert.equal(await steps.getByText('Confirm your e-mail address').count(), 0)

      // The sandbox is at hand until its key is stored; the quick start has it filled in.
      const sandbox = tab.getByRole('region', { name: 'Your sandbox is ready' })
      const key = await sandbox.getByRole('group', { name: 'Test key' }).textContent()
      assert.match(key!, /^svc_test_[0-9A-Za-z]{38}$/)
      const [page] = (await app.call('GET', '/v1/payment-pages', { key: key! })).body.data
      assert.equal(await sandbox.getByRole('link', { name: page.url }).getAttribute('href'), page.url)
      await sandbox.getByRole('button', { name: 'Copy: Test page' }).waitFor()
      await looksRightEverywhere(tab, 'new-account', () => sandbox.waitFor(), { reloads: false })
      await sandbox.getByRole('link', { name: 'Open the quick start with this key' }).click()
      await tab.getByText(`Your key ends in ${key!.slice(-4)}.`).waitFor()
      await tab
        .getByRole('group', { name: '1. Get your test key' })
        .filter({ hasText: `KEY=${key}` })
        .waitFor()
      await tab.getByRole('heading', { name: '2. Take a payment' }).waitFor()
      await tab.getByRole('link', { name: 'Home' }).click()
      await sandbox.getByLabel('I have stored it in a safe place').check()
      await sandbox.getByRole('button', { name: 'Continue' }).click()
      assert.equal(await sandbox.count(), 0)
      assert.ok(!(await tab.content()).includes(key!))
      // What needs a verification says so before a form is filled.
      for (const [path, title] of [
        ['pages', 'You cannot create or change payment pages yet'],
        ['pages/new', 'You cannot create or change payment pages yet'],
        ['payouts/new', 'Payouts are not available yet'],
      ]) {
        await tab.goto(`/dashboard/me/test/${path}`)
        await tab.getByText(title!).waitFor()
        await tab.getByRole('link', { name: 'To verification' }).waitFor()
        assert.equal(await tab.getByRole('main').getByRole('textbox').count(), 0, path)
      }
      assert.deepEqual(tab.problems, [])
    },
  )

  await t.test('[D1] a code from a mail sets a new password, which ends every session', async () => {
    const signedIn = await signedInTab(place, person)
    await signedIn.goto('/dashboard/me/test')
    await available(signedIn).waitFor()
    const tab = await guestTab(place)
    await tab.goto('/dashboard/sign-in')
    await tab.getByRole('link', { name: 'Forgot your password?' }).click()
    await tab.getByLabel('E-mail address').fill(person.email)
    await tab.getByRole('button', { name: 'Send the code' }).click()
    await tab.getByLabel('Code from the mail').fill(await mailedCode(app, person.email, /Reset your password/))
    await tab.getByLabel('New password').fill('another good sentence')
    await tab.getByRole('button', { name: 'Set the new password' }).click()
    await tab.getByText('Your new password is set').waitFor()
    await signedIn.waitForURL(/\/sign-in/)
    await tab.getByRole('link', { name: 'Back to sign-in' }).click()
    await fillIn(tab, { ...person, password: 'another good sentence' })
    await available(tab).waitFor()
    assert.deepEqual([...tab.problems, ...signedIn.problems], [])
  })

  await t.test('[D15] the pages for guests fit at every width, in light and dark, in both languages', async () => {
    const tab = await guestTab(place)
    for (const [name, title] of [
      ['sign-in', 'Sign in'],
      ['register', 'Take payments by mobile money'],
      ['forgot-password', 'Reset your password'],
    ] as const) {
      await tab.goto(`/dashboard/${name}`)
      await looksRightEverywhere(tab, name, () => tab.getByRole('heading', { level: 1, name: title }).waitFor())
    }
    await tab.goto('/dashboard/sign-in')
    await tab.getByRole('radiogroup', { name: 'Language' }).getByText('Kiswahili').click()
    await tab.getByRole('heading', { level: 1, name: 'Ingia' }).waitFor()
    assert.equal(await tab.locator('html').getAttribute('lang'), 'sw')
    assert.equal(await tab.title(), 'Ingia – Malipo')
    await tab.reload()
    await tab.getByRole('heading', { level: 1, name: 'Ingia' }).waitFor()
    assert.deepEqual(tab.problems, [])
  })
})
