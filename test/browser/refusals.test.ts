/**
 * Every form of both dashboards on a phone of 360×640: after a refusal the focus is on the message or on its field, and both are in
 * view, below what is fixed on top and inside dialogs.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromWire } from '../../server/platform/ids.ts'
import { eventually, startTestApp, type Student } from '../app.ts'
import { keepPicture, startBrowser } from './browser.ts'
import { guestTab, operatorTab, signedInTab, type Tab } from './dashboard.ts'
import { forms, type Who } from './forms.ts'
import { dataOf, prepare, worldSettings } from './world.ts'

/** The text of the message that has the focus, or whose field has it; otherwise, what is wrong. */
const messageInView = `(() => {
  const focused = document.activeElement
  const alert = focused.closest('[role=alert]')
  const field = focused.closest('.mantine-InputWrapper-root')
  const message = alert ?? field?.querySelector('.mantine-InputWrapper-error')
  if (!message) return 'NO MESSAGE at the focus: ' + focused.outerHTML.slice(0, 120)
  if (!alert && focused.type !== 'radio' && focused.type !== 'checkbox') {
    if (focused.getAttribute('aria-invalid') !== 'true') return 'NOT MARKED as wrong'
    if (!(focused.getAttribute('aria-describedby') ?? '').split(' ').includes(message.id)) return 'NOT DESCRIBED by its message'
  }
  for (const part of [focused, message]) {
    const { top, bottom, left, right } = part.getBoundingClientRect()
    const place = JSON.stringify({ top, bottom, left, right })
    if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth) return 'OUT OF VIEW ' + place
    const seen = document.elementFromPoint((left + right) / 2, top + 2)
    if (!seen || !(part.contains(seen) || seen.contains(part))) return 'COVERED ' + place + ' by ' + seen?.outerHTML.slice(0, 120)
  }
  return message.textContent
})()`

const wrong = /^(?:NO MESSAGE|NOT|OUT OF VIEW|COVERED)\b/

/** The message once it is right, or what was wrong to the end. */
async function settledMessage(tab: Tab): Promise<string> {
  let last = ''
  const isRight = async (): Promise<boolean> => {
    last = await tab.evaluate<string>(messageInView)
    return !wrong.test(last)
  }
  await eventually('the message is in view', isRight, 8_000).catch(() => undefined)
  return last
}

test('a refusal of every form is seen', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true, settings: worldSettings })
  const place = { browser, app }
  const { world, people } = await prepare(app)
  const small = async (tab: Tab): Promise<Tab> => {
    await tab.setViewportSize({ width: 360, height: 640 })
    tab.setDefaultTimeout(10_000)
    return tab
  }
  const signedIn = async (person: Student): Promise<Tab> => small(await signedInTab(place, person))
  const tabs: Partial<Record<Who, Tab>> = {}
  const tabOf: Record<Who, () => Promise<Tab>> = {
    guest: async () => small(await guestTab(place)),
    resetting: async () => {
      const tab = await small(await guestTab(place))
      await tab.goto('/dashboard/forgot-password')
      await tab.getByLabel('E-mail address').fill(people.student.email)
      await tab.getByRole('button', { name: 'Send the code' }).click()
      return tab
    },
    'second factor': async () => {
      const { email, password } = await app.admin()
      const tab = await small(await guestTab(place))
      await tab.goto('/admin/')
      await tab.getByLabel('E-mail address or phone number').fill(email)
      await tab.getByLabel('Password', { exact: true }).fill(password)
      await tab.getByRole('button', { name: 'Sign in' }).click()
      return tab
    },
    student: () => signedIn(people.student),
    owner: () => signedIn(people.owner),
    approver: () => signedIn(people.approver),
    newcomer: async () => signedIn(await app.student({ verified: false })),
    representative: async () => {
      const person = await app.student({ verified: false })
      await app.owner.pool.query('update users set student_id = null, is_representative = true where email = $1', [person.email])
      return signedIn(person)
    },
    changing: async () => {
      const person = await app.student()
      const body = { email: `new.${person.email}` }
      dataOf(await app.call('POST', '/v1/auth/contact/change', { token: person.token, body }))
      return signedIn(person)
    },
    aged: async () => {
      const person = await app.student()
      const tab = await signedIn(person)
      await app.owner.pool.query(
        `update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = $1`,
        [fromWire('usr', person.userId)],
      )
      return tab
    },
    operator: async () => small(await operatorTab(place, await app.admin())),
  }

  for (const { file, name, as, open, isOffline = false } of forms) {
    await t.test(`[D30] ${file}: ${name}`, async () => {
      if (as !== 'aged') await app.owner.pool.query('update sessions set authenticated_at = clock_now()')
      const tab = (tabs[as] ??= await tabOf[as]())
      const send = await open(tab, world)
      await send.waitFor()
      if (isOffline) await tab.context().setOffline(true)
      try {
        await send.click()
        const message = await settledMessage(tab)
        await keepPicture(tab, `refused ${name}`)
        assert.doesNotMatch(message, wrong, message)
        assert.ok(message.length > 5, message)
        assert.ok(!isOffline || /cannot be reached|The connection was lost/.test(message), message)
      } finally {
        await tab.context().setOffline(false)
      }
    })
  }
  for (const tab of Object.values(tabs)) assert.deepEqual(tab.problems, [])
})
