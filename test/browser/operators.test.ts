/** Operators sign in to their console in a real Chromium: only with a second factor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeNow, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, operatorTab, readableStorage, signedInTab, type Tab } from './dashboard.ts'

async function fillIn(tab: Tab, { email, password }: { email: string; password: string }): Promise<void> {
  await tab.getByLabel('E-mail address or phone number').fill(email)
  await tab.getByLabel('Password', { exact: true }).fill(password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
}

test('operators sign in', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const place = { browser, app }

  await t.test(
    '[A1] with the password and a recovery code; a script can read nothing of it, and merchants’ cookies are separate',
    async () => {
      const admin = await app.admin()
      const tab = await guestTab(place)
      await tab.goto('/admin/')
      await tab.waitForURL(/\/admin\/sign-in/)
      await fillIn(tab, admin)
      await tab.getByRole('button', { name: 'Use a recovery code' }).click()
      await tab.getByLabel('Recovery code').fill(admin.recoveryCodes[0]!)
      await tab.keyboard.press('Enter')
      await tab.getByRole('region', { name: 'Businesses to review' }).waitFor()
      assert.doesNotMatch(await readableStorage(tab), /mrt_|eyJ/)
      const cookies = await tab.context().cookies()
      assert.deepEqual(
        cookies
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map(({ name, httpOnly, sameSite }) => [name.replace(/_\d+$/, ''), httpOnly, sameSite]),
        [
          ['malipo_admin', true, 'Strict'],
          ['malipo_devices', true, 'Strict'],
        ],
      )
      await tab.goto('/dashboard/me/test')
      await tab.waitForURL(/\/dashboard\/sign-in/)
      assert.deepEqual(tab.problems, [])
    },
  )

  await t.test('[A1] an operator without a second factor connects one before anything is shown', async () => {
    const person = await app.student()
    await app.owner.pool.query(`update users set role = 'admin' where email = $1`, [person.email])
    const tab = await guestTab(place)
    const asked: string[] = []
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await tab.goto('/admin/')
    await fillIn(tab, person)
    await tab.getByRole('heading', { name: 'Connect an authenticator app' }).waitFor()
    await tab.goto('/admin/')
    await tab.getByRole('heading', { name: 'Connect an authenticator app' }).waitFor()
    await tab.getByRole('img', { name: 'QR code of the secret' }).waitFor()
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/v1/admin/')),
      [],
    )
    const secret = (await tab.locator('code').textContent())!
    const code = tab.getByLabel('The six digits that the app shows')
    await code.fill('000000')
    await tab.keyboard.press('Enter')
    await tab.getByText('The code is wrong').waitFor()
    await code.fill(codeNow(secret))
    await tab.keyboard.press('Enter')
    const kept = tab.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await kept.first().waitFor()
    assert.equal(await kept.count(), 10)
    assert.equal(await tab.getByRole('button', { name: 'Continue' }).isEnabled(), false)
    await tab.getByLabel('I have saved them').check()
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByRole('region', { name: 'Businesses to review' }).waitFor()
    assert.deepEqual(tab.problems, [])
  })

  await t.test(
    '[A1] a user without the operator role is refused at the sign-in and inside, and the attempt is recorded',
    async () => {
      const student = await app.student()
      const tab = await guestTab(place)
      await tab.goto('/admin/')
      await fillIn(tab, student)
      await tab.getByRole('alert').getByText('Only operators of the service may do this.').waitFor()
      assert.deepEqual(await tab.context().cookies(), [])
      const merchant = await signedInTab(place, student)
      await merchant.goto('/admin/')
      await merchant.waitForURL(/\/admin\/sign-in/)
      const admin = await app.admin()
      const { body } = await app.call('GET', '/v1/admin/audit?action=admin.turned_away', { token: admin.token })
      assert.deepEqual(
        body.data.map(({ actor }: any) => actor),
        [student.userId],
      )
      assert.deepEqual([...tab.problems, ...merchant.problems], [])
    },
  )

  await t.test('[A1] the overview counts waiting work, and fits at every width, in light and dark', async () => {
    const tab = await operatorTab(place, await app.admin())
    await tab.goto('/admin/')
    const people = tab.getByRole('region', { name: 'People to review' })
    await people.getByText('0', { exact: true }).waitFor()
    await looksRightEverywhere(tab, 'operators-home', () => people.getByText('Nothing is waiting').waitFor())
    assert.deepEqual(tab.problems, [])
  })
})
