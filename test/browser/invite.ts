/** An invitation to a business in the browser: an owner sends it, and a person with an account accepts it. */
import type { Student, TestApp } from '../app.ts'
import { invitationToken, verifyEmail } from '../members.ts'
import { signedInTab, type Tab } from './dashboard.ts'

/** On the team screen of an owner or admin. */
export async function sendInvitation(tab: Tab, email: string, role: string): Promise<void> {
  await tab.getByRole('button', { name: 'Invite', exact: true }).click()
  const dialog = tab.getByRole('dialog', { name: 'Invite a person' })
  await dialog.getByLabel('E-mail address').fill(email)
  await dialog.getByRole('radio', { name: role }).check()
  await dialog.getByRole('button', { name: 'Send the invitation' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

/** A new person joins with the role, from the mailed link. `team` shows the team screen. */
export async function invitePerson(
  place: { browser: Parameters<typeof signedInTab>[0]['browser']; app: TestApp },
  team: Tab,
  role: 'Approver' | 'Cashier' | 'Accountant',
): Promise<Student> {
  const person = await place.app.student()
  await verifyEmail(place.app, person.email)
  await sendInvitation(team, person.email, role)
  const tab = await signedInTab(place, person)
  await tab.goto(`/dashboard/invitation#${await invitationToken(place.app, person.email)}`)
  await tab.getByRole('button', { name: 'Accept the invitation' }).click()
  await tab.waitForURL(/\/dashboard\/biz_\w+\/(test|live)$/)
  await tab.context().close()
  return person
}
