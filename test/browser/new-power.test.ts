/** New power in a real Chromium: a role that waits and is confirmed, a role that others approve, and a key whose granter has left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../app.ts'
import { lastMail, newMember, verifiedBusiness } from '../members.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab, type Tab } from './dashboard.ts'

function patient(tab: Tab): Tab {
  tab.setDefaultTimeout(12_000)
  return tab
}

test('a new role waits, an owner confirms it, others approve the next, and owners keep the key of who was demoted', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { settings: { NEW_POWER_WAIT_HOURS: '24' } })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const admin = await newMember(app, owner, businessId, 'admin')
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const tab = patient(await signedInTab({ browser, app }, owner))
  const path = `/dashboard/${businessId}/live`
  const actions = (name: string) => tab.getByRole('button', { name: `Actions for ${name}` })
  const names = new Map(
    (await app.call('GET', `/v1/businesses/${businessId}/members`, { token: owner.token })).body.data.map(
      ({ email, name }: { email: string; name: string }) => [email, name] as const,
    ),
  )
  const nameOf = ({ email }: { email: string }) => String(names.get(email))

  await t.test('the team shows until when a role waits, and an owner confirms it', async () => {
    await tab.goto(`${path}/team`)
    await looksRightEverywhere(tab, 'team-new-power', () => tab.getByText(/Pays and approves in live from/).waitFor())
    await actions(nameOf(admin)).click()
    await tab.getByRole('menuitem', { name: 'Confirm the new role' }).click()
    await tab.getByText(`${nameOf(admin)} may pay and approve now.`).waitFor()
    await tab.getByText(/Pays and approves in live from/).waitFor({ state: 'detached' })
  })

  await t.test('the queue shows a new role, and its requester decides only with the page of their mail', async () => {
    const live = `environment=live&business_id=${businessId}`
    const set = await app.call('POST', `/v1/merchant/approval-rule?${live}`, {
      token: owner.token,
      body: { above: 0, approvers: 1 },
    })
    assert.equal(set.status, 200)
    await app.owner.pool.query('update users set disabled_at = clock_now() where email = $1', [admin.email])
    const member = `/v1/businesses/${businessId}/members/${cashier.memberId}`
    assert.equal((await app.call('PATCH', member, { token: owner.token, body: { role: 'approver' } })).status, 200)
    await tab.goto(`${path}/team`)
    await tab.getByText('Waits for approval: Approver').waitFor()
    await tab.goto(`${path}/approvals`)
    await looksRightEverywhere(tab, 'approvals-new-role', () => tab.getByText(/Open the link that was mailed to you/).waitFor())
    assert.equal(await tab.getByRole('button', { name: 'Approve' }).count(), 0)
    const [, link] = /(\/dashboard\/\S+#\S+)/.exec(await lastMail(app, owner.email, 'role_confirmation'))!
    const page = patient(await signedInTab({ browser, app }, owner))
    await page.goto(link!)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(/Approve only if you know them/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved.').waitFor()
    assert.deepEqual(page.problems, [])
    await page.close()
  })

  await t.test('owners see which keys to keep or revoke', async () => {
    await app.owner.pool.query('update users set disabled_at = null')
    const app1 = { name: 'Duka', environment: 'live', business_id: businessId }
    const { id: appId } = (await app.call('POST', '/developers/apps', { token: owner.token, body: app1 })).body.data
    const key = { app_id: appId, key_name: 'Tovuti', scopes: ['payouts:write'] }
    assert.equal((await app.call('POST', '/developers/keys', { token: admin.token, body: key })).status, 201)
    await app.owner.pool.query(`delete from approval_rules`)
    const member = `/v1/businesses/${businessId}/members/${admin.memberId}`
    assert.equal((await app.call('PATCH', member, { token: owner.token, body: { role: 'developer' } })).status, 200)
    await tab.goto(`${path}/developers`)
    await looksRightEverywhere(tab, 'developers-unkept', () => tab.getByText(/keep or revoke each/).waitFor())
    await tab.getByRole('link', { name: 'Tovuti' }).click()
    await looksRightEverywhere(tab, 'app-unkept', () => tab.getByText(/Keep the key or revoke it/).waitFor())
    await actions('“Tovuti”').click()
    await tab.getByRole('menuitem', { name: 'Keep the key' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Keep the key' }).click()
    await tab.getByText(/Keep the key or revoke it/).waitFor({ state: 'detached' })
    assert.deepEqual(tab.problems, [])
  })
})
