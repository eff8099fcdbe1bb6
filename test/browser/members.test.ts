/**
 * The members of a business in a real Chromium: invited with and without an account, each role with its own sections, changed and
 * removed, and the list of what everyone did.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { fromWire } from '../../server/platform/ids.ts'
import { eventually, startTestApp, type Student } from '../app.ts'
import { invitationToken, lastMail, newMember, verifiedBusiness, verifyEmail } from '../members.ts'
import { startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, readableStorage, signedInTab, type Tab } from './dashboard.ts'
import { sendInvitation } from './invite.ts'

const waitMs = 12_000

function patient(tab: Tab): Tab {
  tab.setDefaultTimeout(waitMs)
  return tab
}

/** The names of the sections, in order. */
const sections = async (tab: Page, name = 'Sections'): Promise<string[]> =>
  (await tab.getByRole('navigation', { name }).getByRole('link').allTextContents()).map((text) => text.trim())

const row = (tab: Page, name: string) => tab.getByRole('row').filter({ hasText: name })

test('a business is more than one person', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const place = { browser, app }
  const path = `/dashboard/${businessId}`
  const tab = patient(await signedInTab(place, owner))
  let heir: Tab
  const newcomer = 'asha.keshia@example.com'

  const invite = (email: string, role: string): Promise<void> => sendInvitation(tab, email, role)
  /** The sessions of this person need a step-up. */
  const age = (person: Student) =>
    app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = $1`, [
      fromWire('usr', person.userId),
    ])

  await t.test('[D18] an owner invites a person, and each role says in one sentence what it may do', async () => {
    await tab.goto(`${path}/test/team`)
    await tab.getByText('You are the only owner.').waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Leave the business' }).isDisabled(), true)
    await looksRightEverywhere(tab, 'team-invite', async () => {
      await tab.getByRole('button', { name: 'Invite', exact: true }).click()
      await tab.getByText('Sees no balance and sends no money.').waitFor()
    })
    await tab.keyboard.press('Escape')
    await invite(newcomer, 'Cashier')
    await row(tab, newcomer).getByText('Invited', { exact: true }).waitFor()
    // The same again: the first link stops working.
    const first = await invitationToken(app, newcomer)
    await tab.getByRole('button', { name: `Actions for ${newcomer}` }).click()
    await tab.getByRole('menuitem', { name: 'Send the invitation again' }).click()
    await eventually('a new link', async () => (await invitationToken(app, newcomer)) !== first)
    const old = patient(await guestTab(place))
    await old.goto(`/dashboard/invitation#${first}`)
    await old.getByText('This invitation no longer works').waitFor()
    await looksRightEverywhere(old, 'invitation-gone', () => old.getByText('Ask the person who invited you').waitFor())
    await old.goto('/dashboard/invitation')
    await old.getByText('This invitation no longer works').waitFor()
  })

  await t.test('[D18] a person without an account registers, verifies the address and joins, on a phone in Swahili', async () => {
    const guest = patient(await guestTab(place, { size: 'phone', language: 'sw', isTouch: true }))
    const secret = await invitationToken(app, newcomer)
    await guest.goto(`/dashboard/invitation#${secret}`)
    await guest.getByText('Huona malipo ya leo').waitFor()
    assert.equal(new URL(guest.url()).hash, '', 'the secret is not left in the address')
    await looksRightEverywhere(guest, 'invitation-sw', () => guest.getByText('Huona malipo ya leo').waitFor())
    await guest.setViewportSize({ width: 360, height: 740 })
    await guest.getByRole('link', { name: 'Jisajili ili ukubali' }).tap()
    await looksRightEverywhere(guest, 'invitation-register-sw', () => guest.getByText('Kisha utakubali mwaliko').waitFor())
    await guest.setViewportSize({ width: 360, height: 740 })
    assert.equal(await guest.getByLabel('Barua pepe').inputValue(), newcomer)
    await guest.getByLabel('Jina kamili').fill('Asha Mushi')
    await guest.getByLabel('Namba ya simu').fill('0754 000 321')
    assert.equal(await guest.getByLabel('Chuo').count(), 0, 'an invited person need not study')
    await guest.getByLabel('Nenosiri', { exact: true }).fill('mvua kubwa ya masika 41')
    await guest.getByRole('button', { name: 'Jisajili' }).tap()
    const code = /\b\d{6}\b/.exec(await lastMail(app, newcomer, 'email_verification'))![0]
    // Later, without the code: the invitation says what is missing.
    await guest.getByRole('link', { name: 'Baadaye' }).tap()
    await guest.goto('/dashboard/invitation')
    await guest.getByText('Thibitisha barua pepe yako kwanza').waitFor()
    await looksRightEverywhere(guest, 'invitation-unverified-sw', () => guest.getByText('Thibitisha barua pepe yako').waitFor())
    await guest.setViewportSize({ width: 360, height: 740 })
    await guest.getByRole('link', { name: 'Thibitisha barua pepe' }).tap()
    await guest.getByLabel('Msimbo uliotumwa').fill(code)
    await guest.getByRole('button', { name: 'Thibitisha' }).tap()
    await guest.getByRole('button', { name: 'Kubali mwaliko' }).tap()
    await guest.getByText('Kwenye Mwenge Duka wewe ni: Mtunza fedha').waitFor()
    assert.ok(!(await readableStorage(guest)).includes(secret), 'the used secret is kept nowhere')
    await looksRightEverywhere(guest, 'home-cashier-sw', () => guest.getByText('wewe ni: Mtunza fedha').waitFor())
    await guest.setViewportSize({ width: 1280, height: 800 })
    assert.deepEqual(await sections(guest, 'Sehemu'), ['Mwanzo', 'Malipo', 'Kaunta', 'Kurasa za malipo', 'Timu'])
    // A screen of others, opened by its address.
    await guest.goto(`${path}/live/payouts`)
    await guest.getByText('Jukumu hilo halina ukurasa huu. Ukiuhitaji, muulize mmiliki wa Mwenge Duka.').waitFor()
    await looksRightEverywhere(guest, 'not-yours-sw', () => guest.getByText('Jukumu hilo halina ukurasa huu').waitFor())
    await guest.goto(`${path}/live/team`)
    await guest.getByText('Uanachama wako').waitFor()
    await looksRightEverywhere(guest, 'team-cashier-sw', () => guest.getByText('Uanachama wako').waitFor())
    assert.equal(await guest.getByText(owner.email).count(), 0)
    assert.deepEqual(guest.problems, [])
  })

  await t.test('[D18] a person with an account signs in and joins; another account is told which one to use', async () => {
    const friend = await app.student()
    await tab.goto(`${path}/test/team`)
    await invite(friend.email, 'Developer')
    await verifyEmail(app, friend.email)
    const secret = await invitationToken(app, friend.email)
    const wrong = patient(await signedInTab(place, await app.student()))
    await wrong.goto(`/dashboard/invitation#${secret}`)
    await wrong.getByText(`This invitation is for ${friend.email}`).waitFor()
    await looksRightEverywhere(wrong, 'invitation-other', () => wrong.getByText('This invitation is for').waitFor())
    await wrong.getByRole('button', { name: 'Sign out and use the other account' }).click()
    await wrong.getByLabel('E-mail address or phone number').fill(friend.email)
    await wrong.getByLabel('Password', { exact: true }).fill(friend.password)
    await wrong.getByRole('button', { name: 'Sign in' }).click()
    await wrong.getByRole('button', { name: 'Accept the invitation' }).click()
    await wrong.getByText('In Mwenge Duka you are: Developer').waitFor()
    // A developer sees payments in test only.
    assert.deepEqual(await sections(wrong), ['Home', 'Payments', 'Till', 'Payment pages', 'Developers', 'Team'])
    await wrong.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click()
    await wrong.waitForURL('**/live')
    await eventually('only what a developer may see', async () => (await sections(wrong)).join() === 'Home,Developers,Team')
    await wrong.goto(`${path}/live/payments`)
    await wrong.getByText('That role sees this only in the test environment.').waitFor()
    await looksRightEverywhere(wrong, 'not-yours-developer', () => wrong.getByText('only in the test').waitFor())
    assert.deepEqual(wrong.problems, [])
  })

  await t.test('[D18] the switch shows every business with the role in it', async () => {
    const accountant = await newMember(app, owner, businessId, 'accountant')
    const own = patient(await signedInTab(place, accountant))
    await own.goto('/dashboard/me/test')
    await looksRightEverywhere(own, 'wallet-switch', async () => {
      await own.getByRole('button', { name: /Switch wallet/ }).click()
      await own.getByRole('menuitem', { name: /Mwenge Duka/ }).waitFor()
    })
    await own.getByRole('menuitem', { name: 'Mwenge Duka Accountant' }).click()
    await eventually(
      'the sections of an accountant',
      async () => (await sections(own)).join() === 'Home,Payments,Till,Payment pages,Payouts,Approvals,Statement,Team',
    )
    // Only the page of the sandbox, and nothing here makes pages.
    await own.goto(`${path}/test/pages`)
    await own.getByText('Test payment').first().waitFor()
    assert.equal(await own.getByRole('main').locator('a[href$="/pages/new"]').count(), 0)
    await own.goto(`${path}/test/team`)
    await own.getByText(newcomer).waitFor()
    assert.equal(await own.getByRole('button', { name: /Actions for|Invite/ }).count(), 0)
    assert.deepEqual(own.problems, [])
  })

  await t.test('[D18] an owner changes a role and removes a member by name, who sees nothing more', async () => {
    const approver = await newMember(app, owner, businessId, 'approver')
    const theirs = patient(await signedInTab(place, approver))
    await theirs.goto(`${path}/test/approvals`)
    await theirs.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    await tab.goto(`${path}/test/team`)
    const actions = tab.getByRole('button', { name: 'Actions for Asha Mushi' })
    await actions.click()
    await tab.getByRole('menuitem', { name: 'Change the role' }).click()
    const dialog = tab.getByRole('dialog', { name: 'The role of Asha Mushi' })
    await dialog.getByRole('radio', { name: 'Accountant' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row(tab, 'Asha Mushi').getByText('Accountant').waitFor()
    await looksRightEverywhere(tab, 'team', () => tab.getByText('Asha Mushi').first().waitFor())
    // Another owner: a step-up, and their identity must have been verified.
    await actions.click()
    await tab.getByRole('menuitem', { name: 'Change the role' }).click()
    await age(owner)
    await dialog.getByRole('radio', { name: 'Owner' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    const proof = tab.getByRole('dialog', { name: 'Verify that it is you' })
    await proof.getByRole('textbox', { name: 'Password' }).fill(owner.password)
    await proof.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    const person = row(tab, approver.email)
    const removal = tab.getByRole('dialog', { name: /^Remove / })
    await looksRightEverywhere(tab, 'team-remove', async () => {
      await tab.getByText(approver.email).waitFor()
      await tab
        .getByRole('button', { name: /^Actions for Student/ })
        .first()
        .click()
      await tab.getByRole('menuitem', { name: 'Remove' }).click()
      await removal.waitFor()
    })
    assert.equal(await removal.getByRole('button', { name: 'Remove' }).isDisabled(), true)
    const name = /Type “(.+)” to confirm/.exec((await removal.textContent()) ?? '')![1]!
    await removal.getByRole('textbox').fill(name)
    await removal.getByRole('button', { name: 'Remove' }).click()
    await person.waitFor({ state: 'detached' })
    await theirs.goto(`${path}/test/approvals`)
    await theirs.getByText('You are not a member of this business').waitFor()
    await looksRightEverywhere(theirs, 'stranger', () => theirs.getByText('An owner can invite you again').waitFor())
    assert.deepEqual(theirs.problems, [])
  })

  await t.test('[D18] an owner makes another owner, leaves, and the other one keeps the business', async () => {
    await app.owner.pool.query('update sessions set authenticated_at = clock_now()')
    heir = patient(await signedInTab(place, await newMember(app, owner, businessId, 'owner')))
    await tab.goto(`${path}/test/team`)
    await tab.getByText('To hand the business over').waitFor()
    await tab.getByRole('button', { name: 'Leave the business' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Leave Mwenge Duka?' })
    await dialog.getByRole('textbox').fill('Mwenge Duka')
    await dialog.getByRole('button', { name: 'Leave the business' }).click()
    await tab.getByText('You have left Mwenge Duka.').waitFor()
    await tab.waitForURL('**/me/test')
    await heir.goto(`${path}/test/team`)
    await heir.getByText('You are the only owner.').waitFor()
    assert.deepEqual(heir.problems, [])
  })

  await t.test('[D20] the activity says who did what, in words of both languages', async () => {
    await heir.getByRole('link', { name: 'Activity' }).click()
    await heir.getByText('left the business').waitFor()
    await heir.getByText('removed a member').waitFor()
    await heir.getByText('changed the role of a member (Accountant)').waitFor()
    await heir.getByText('accepted an invitation (Cashier)').waitFor()
    await heir.getByText('invited a person (Cashier): Asha Mushi').first().waitFor()
    await heir.getByText('verified the business').waitFor()
    assert.equal(await heir.getByText(/did “/).count(), 0, 'every action of this test has its sentence')
    await looksRightEverywhere(heir, 'activity', () => heir.getByText('left the business').waitFor())
    await heir.getByText('Kiswahili').last().click()
    await heir.getByText('aliondoka kwenye biashara').waitFor()
    await looksRightEverywhere(heir, 'activity-sw', () => heir.getByText('aliondoka kwenye biashara').waitFor())
  })
})
