/**
 * Every form of the dashboards and how a test gets a refusal from it. `test/forms.test.ts` compares the list with the source: a
 * new form needs a row.
 */
import type { Locator } from 'playwright-core'
import type { Tab } from './dashboard.ts'

/** What the rows find in the service. */
export type World = {
  businessId: string
  appId: string
  keyName: string
  pageId: string
  paymentReference: string
  requestId: string
  waitingPayoutId: string
  /** A draft with errors, a draft without, and a running batch of the student; one of the business that waits for approval. */
  batches: { wrong: string; ready: string; running: string; waiting: string }
  memberName: string
  recipient: string
  customerId: string
  operator: { merchantId: string; payoutId: string; reviewId: string; breakId: string; caseId: string }
}

export type Who =
  | 'guest'
  | 'resetting'
  | 'second factor'
  | 'student'
  | 'owner'
  | 'approver'
  | 'newcomer'
  | 'representative'
  | 'changing'
  | 'aged'
  | 'operator'

export type FormRow = {
  /** Below `dashboard/src`. */
  file: string
  name: string
  as: Who
  /** Opens and fills the form; returns the button that sends it. */
  open(tab: Tab, world: World): Promise<Locator>
  /** Refused because the service cannot be reached. Otherwise by a check, or by the API. */
  isOffline?: true
}

const button = (tab: Tab, name: string | RegExp): Locator => tab.getByRole('button', { name, exact: typeof name === 'string' })
const inDialog = (tab: Tab, name: string | RegExp): Locator =>
  tab
    .getByRole('dialog')
    .last()
    .getByRole('button', { name, exact: typeof name === 'string' })

/** Opens a screen and presses a button; returns the button of the dialog. */
async function dialogOf(tab: Tab, path: string, opens: string | RegExp, sends: string | RegExp): Promise<Locator> {
  await tab.goto(path)
  await button(tab, opens).first().click()
  return inDialog(tab, sends)
}

/** The same by a menu of actions. */
async function menuOf(tab: Tab, path: string, menu: string | RegExp, item: string, sends: string): Promise<Locator> {
  await tab.goto(path)
  await button(tab, menu).first().click()
  await tab.getByRole('menuitem', { name: item }).click()
  return inDialog(tab, sends)
}

async function typedIn(send: Locator, tab: Tab, text: string): Promise<Locator> {
  await tab.getByRole('dialog').last().getByRole('textbox').first().fill(text)
  return send
}

const test = (path: string): string => `/dashboard/me/test/${path}`
const ofBusiness = ({ businessId }: World, path: string): string => `/dashboard/${businessId}/test/${path}`
const ofApp = ({ appId }: World): string => test(`developers/apps/${appId}`)

export const forms: FormRow[] = [
  {
    file: 'auth/sign-in-form.tsx',
    name: 'sign-in',
    as: 'guest',
    open: async (tab) => {
      await tab.goto('/dashboard/sign-in')
      return button(tab, 'Sign in')
    },
  },
  {
    file: 'auth/sign-in-form.tsx',
    name: 'code of the second factor',
    as: 'second factor',
    open: async (tab) => {
      await tab.getByLabel('Code', { exact: true }).fill('000000')
      return button(tab, 'Sign in')
    },
  },
  {
    file: 'auth/enroll-factor.tsx',
    name: 'connect an authenticator app',
    as: 'student',
    open: async (tab) => {
      const send = await dialogOf(tab, '/dashboard/profile', 'Connect an app', 'Connect')
      await tab.getByLabel('The six digits that the app shows').fill('000000')
      return send
    },
  },
  {
    file: 'ui/step-up-dialog.tsx',
    name: 'verify that it is you',
    as: 'aged',
    open: async (tab) => {
      await (await dialogOf(tab, '/dashboard/profile', 'Connect an app', 'Continue')).waitFor()
      return typedIn(inDialog(tab, 'Continue'), tab, 'not this one at all')
    },
  },
  {
    file: 'merchant/saved-filters/save-dialog.tsx',
    name: 'save a filter',
    as: 'student',
    open: (tab) => menuOf(tab, test('payments?status=failed'), 'Saved filters', 'Save this filter', 'Save'),
  },
  {
    file: 'merchant/statement/mail-dialog.tsx',
    name: 'the statement by mail',
    as: 'student',
    isOffline: true,
    open: (tab) => dialogOf(tab, test('statement'), 'Set up', 'Save'),
  },
  {
    file: 'merchant/register/register-screen.tsx',
    name: 'register',
    as: 'guest',
    open: async (tab) => {
      await tab.goto('/dashboard/register')
      await tab.getByRole('radio', { name: 'A student' }).check()
      return button(tab, 'Register')
    },
  },
  {
    file: 'merchant/try/try-screen.tsx',
    name: 'pay on the test page',
    as: 'newcomer',
    isOffline: true,
    open: async (tab) => {
      await tab.goto(test('try'))
      return button(tab, /^Pay /)
    },
  },
  {
    file: 'merchant/try/phone.tsx',
    name: 'PIN of the payer',
    as: 'newcomer',
    open: async (tab) => {
      await tab.goto(test('try'))
      await button(tab, /^Pay /).click()
      return button(tab, 'Send')
    },
  },
  {
    file: 'merchant/support/support-screen.tsx',
    name: 'support contact',
    as: 'student',
    open: async (tab) => {
      await tab.goto(test('support'))
      await tab.getByLabel('Phone').fill('12')
      return button(tab, 'Save')
    },
  },
  {
    file: 'merchant/password/forgot-password-screen.tsx',
    name: 'forgotten password',
    as: 'guest',
    open: async (tab) => {
      await tab.goto('/dashboard/forgot-password')
      return button(tab, 'Send the code')
    },
  },
  {
    file: 'merchant/password/forgot-password-screen.tsx',
    name: 'new password',
    as: 'resetting',
    open: async (tab) => {
      await tab.getByLabel('Code from the mail').fill('000000')
      await tab.getByLabel('New password').fill('another good sentence')
      return button(tab, 'Set the new password')
    },
  },
  {
    file: 'merchant/email/verify-email-screen.tsx',
    name: 'code of the e-mail address',
    as: 'newcomer',
    open: async (tab) => {
      await tab.goto('/dashboard/verify-email')
      await tab.getByLabel('Code from the mail').fill('000000')
      return button(tab, 'Confirm')
    },
  },
  {
    file: 'merchant/verification/person-form.tsx',
    name: 'identity of a person',
    as: 'newcomer',
    open: async (tab) => {
      await tab.goto(test('verification?step=facts'))
      return button(tab, 'Continue')
    },
  },
  {
    file: 'merchant/verification/student-form.tsx',
    name: 'student number',
    as: 'representative',
    open: async (tab) => {
      await tab.goto('/dashboard/new-business')
      await tab.getByRole('textbox', { name: 'Student number' }).waitFor()
      return button(tab, 'Save and continue')
    },
  },
  {
    file: 'merchant/verification/business-form.tsx',
    name: 'business',
    as: 'student',
    open: async (tab) => {
      await tab.goto('/dashboard/new-business')
      return button(tab, 'Save and continue')
    },
  },
  {
    file: 'merchant/profile/person-form.tsx',
    name: 'name and institution',
    as: 'student',
    open: async (tab) => {
      await tab.goto('/dashboard/profile')
      await tab.getByLabel('University or college').fill(' ')
      return button(tab, 'Save')
    },
  },
  {
    file: 'merchant/profile/contact-dialog.tsx',
    name: 'new e-mail address',
    as: 'student',
    open: (tab) => dialogOf(tab, '/dashboard/profile', 'Change your e-mail address', 'Mail the code'),
  },
  {
    file: 'merchant/profile/contact-dialog.tsx',
    name: 'code of the new address',
    as: 'changing',
    open: async (tab) =>
      typedIn(await dialogOf(tab, '/dashboard/profile', 'Enter the code', 'Confirm the change'), tab, '000000'),
  },
  {
    file: 'merchant/profile/password-form.tsx',
    name: 'password',
    as: 'student',
    open: async (tab) => {
      await tab.goto('/dashboard/profile')
      return button(tab, 'Change the password')
    },
  },
  {
    file: 'merchant/profile/sessions.tsx',
    name: 'sign out all other devices',
    as: 'student',
    isOffline: true,
    open: (tab) => dialogOf(tab, '/dashboard/profile', 'Sign out all others', 'Sign them out'),
  },
  {
    file: 'merchant/developers/create-app.tsx',
    name: 'new app',
    as: 'student',
    open: (tab) => dialogOf(tab, test('developers'), 'Create an app', 'Create an app'),
  },
  {
    file: 'merchant/app/app-screen.tsx',
    name: 'delete an app',
    as: 'student',
    isOffline: true,
    open: async (tab, world) =>
      typedIn(await menuOf(tab, ofApp(world), /^Actions for .App/, 'Delete the app', 'Delete the app'), tab, 'App'),
  },
  {
    file: 'merchant/app/create-key.tsx',
    name: 'new key',
    as: 'student',
    open: (tab, world) => dialogOf(tab, ofApp(world), 'Create a key', 'Create a key'),
  },
  {
    file: 'merchant/app/edit-key.tsx',
    name: 'change a key',
    as: 'student',
    open: async (tab, world) => {
      const send = await menuOf(tab, ofApp(world), `Actions for “${world.keyName}”`, 'Name and addresses', 'Save')
      await tab.getByLabel('Allowed addresses').fill('somewhere')
      return send
    },
  },
  {
    file: 'merchant/app/roll-key.tsx',
    name: 'roll a key',
    as: 'student',
    isOffline: true,
    open: (tab, world) => menuOf(tab, ofApp(world), `Actions for “${world.keyName}”`, 'Roll', 'Roll'),
  },
  {
    file: 'merchant/app/keys.tsx',
    name: 'revoke a key',
    as: 'student',
    isOffline: true,
    open: async (tab, world) =>
      typedIn(await menuOf(tab, ofApp(world), `Actions for “${world.keyName}”`, 'Revoke', 'Revoke'), tab, world.keyName),
  },
  {
    file: 'merchant/app/set-webhook.tsx',
    name: 'address of a webhook',
    as: 'student',
    open: (tab, world) =>
      dialogOf(tab, ofApp(world), 'Change address and events', 'Save').then((send) => typedIn(send, tab, 'https://')),
  },
  {
    file: 'merchant/app/recover.tsx',
    name: 'send events again',
    as: 'student',
    open: async (tab, world) => {
      const send = await dialogOf(tab, ofApp(world), 'Send again', 'Send again')
      await tab.getByLabel('From', { exact: true }).fill('')
      return send
    },
  },
  {
    file: 'merchant/app/webhook-secret.tsx',
    name: 'rotate the secret',
    as: 'student',
    isOffline: true,
    open: (tab, world) => dialogOf(tab, ofApp(world), 'Rotate', 'Rotate'),
  },
  {
    file: 'merchant/app/webhook-section.tsx',
    name: 'remove a webhook',
    as: 'student',
    isOffline: true,
    open: (tab, world) => dialogOf(tab, ofApp(world), 'Remove', 'Remove'),
  },
  {
    file: 'merchant/page-editor/page-editor-screen.tsx',
    name: 'new page',
    as: 'student',
    open: async (tab) => {
      await tab.goto(test('pages/new'))
      return button(tab, 'Create the page')
    },
  },
  {
    file: 'merchant/page/active-switch.tsx',
    name: 'deactivate a page',
    as: 'student',
    isOffline: true,
    open: (tab, { pageId }) => dialogOf(tab, test(`pages/${pageId}`), 'Deactivate', 'Deactivate'),
  },
  {
    file: 'merchant/new-payment-request/new-payment-request-screen.tsx',
    name: 'new payment request',
    as: 'student',
    open: async (tab) => {
      await tab.goto(test('pages/requests/new'))
      await tab.getByRole('textbox', { name: 'What the customer pays for' }).fill('Order 1043')
      await tab.getByRole('textbox', { name: 'Amount to pay' }).fill('25000')
      await tab.getByRole('textbox', { name: 'Mobile money number' }).fill('12345')
      return button(tab, 'Create the request')
    },
  },
  {
    file: 'merchant/till/new-request.tsx',
    name: 'new request at the till',
    as: 'student',
    open: async (tab) => {
      const send = await dialogOf(tab, test('till'), 'New request', 'Show the code')
      await inDialog(tab, '1').click()
      return send
    },
  },
  {
    file: 'merchant/payment-request/payment-request-screen.tsx',
    name: 'cancel a payment request',
    as: 'student',
    isOffline: true,
    open: (tab, { requestId }) => dialogOf(tab, test(`pages/requests/${requestId}`), 'Cancel the request', 'Cancel the request'),
  },
  {
    file: 'merchant/payment/refund-dialog.tsx',
    name: 'refund',
    as: 'student',
    isOffline: true,
    open: async (tab, { paymentReference }) => {
      const send = await dialogOf(tab, test(`payments/${paymentReference}`), 'Refund', /^Refund TSh/)
      await tab.getByText('Left in your wallet').waitFor()
      return send
    },
  },
  {
    file: 'merchant/new-payout/new-payout-screen.tsx',
    name: 'new payout',
    as: 'student',
    open: async (tab) => {
      await tab.goto(test('payouts/new'))
      return button(tab, 'Check')
    },
  },
  {
    file: 'merchant/new-payout/new-payout-screen.tsx',
    name: 'check of a payout',
    as: 'student',
    isOffline: true,
    open: async (tab) => {
      await tab.goto(test('payouts/new'))
      await tab.getByLabel('Amount', { exact: true }).fill('20000')
      await tab.getByLabel('Mobile money number').fill('0754 000 123')
      await tab.getByLabel('Name of the recipient').fill('Asha Mushi')
      await button(tab, 'Check').click()
      await tab.getByText('Fee', { exact: true }).waitFor()
      return button(tab, 'Pay TSh 20,000')
    },
  },
  {
    file: 'merchant/payout/payout-screen.tsx',
    name: 'cancel a payout',
    as: 'owner',
    isOffline: true,
    open: (tab, world) =>
      dialogOf(tab, ofBusiness(world, `payouts/${world.waitingPayoutId}`), 'Cancel the payout', 'Cancel the payout'),
  },
  {
    file: 'merchant/recipients/dialogs.tsx',
    name: 'new recipient',
    as: 'student',
    open: (tab) => dialogOf(tab, test('payouts/recipients'), 'Add a recipient', 'Save'),
  },
  {
    file: 'merchant/recipients/dialogs.tsx',
    name: 'rename a recipient',
    as: 'student',
    open: async (tab, { recipient }) =>
      typedIn(await menuOf(tab, test('payouts/recipients'), `Change ${recipient}`, 'Rename', 'Save'), tab, ' '),
  },
  {
    file: 'merchant/recipients/dialogs.tsx',
    name: 'delete a recipient',
    as: 'student',
    isOffline: true,
    open: (tab, { recipient }) => menuOf(tab, test('payouts/recipients'), `Change ${recipient}`, 'Delete', 'Delete'),
  },
  {
    file: 'merchant/new-payout-batch/new-payout-batch-screen.tsx',
    name: 'new batch',
    as: 'student',
    open: async (tab) => {
      await tab.goto(test('payouts/batches/new'))
      return button(tab, 'Check the rows')
    },
  },
  {
    file: 'merchant/payout-batch/remove-all.tsx',
    name: 'remove all wrong rows',
    as: 'student',
    isOffline: true,
    open: (tab, { batches }) => dialogOf(tab, test(`payouts/batches/${batches.wrong}`), /^Remove (?:all|the row)/, 'Remove'),
  },
  {
    file: 'merchant/payout-batch/correct-dialog.tsx',
    name: 'correct a row',
    as: 'student',
    open: async (tab, { batches }) => {
      const send = await dialogOf(tab, test(`payouts/batches/${batches.wrong}`), /^Correct row/, 'Save')
      await tab.getByLabel('Amount', { exact: true }).fill('12.5')
      return send
    },
  },
  {
    file: 'merchant/payout-batch/payout-batch-screen.tsx',
    name: 'delete a batch',
    as: 'student',
    isOffline: true,
    open: (tab, { batches }) => dialogOf(tab, test(`payouts/batches/${batches.wrong}`), 'Delete', 'Delete'),
  },
  {
    file: 'merchant/payout-batch/payout-batch-screen.tsx',
    name: 'stop a batch',
    as: 'student',
    isOffline: true,
    open: (tab, { batches }) => dialogOf(tab, test(`payouts/batches/${batches.running}`), 'Stop', 'Stop the batch'),
  },
  {
    file: 'merchant/payout-batch/pay-dialog.tsx',
    name: 'pay a batch',
    as: 'student',
    isOffline: true,
    open: async (tab, { batches }) => {
      const send = await dialogOf(tab, test(`payouts/batches/${batches.ready}`), 'Pay', /^Pay TSh/)
      await tab.getByRole('dialog').getByText('Left').first().waitFor()
      return send
    },
  },
  {
    file: 'merchant/payout-batch/decision.tsx',
    name: 'take a batch back',
    as: 'owner',
    isOffline: true,
    open: (tab, world) => dialogOf(tab, ofBusiness(world, `payouts/batches/${world.batches.waiting}`), 'Take back', 'Take back'),
  },
  {
    file: 'merchant/payout-batch/refuse-dialog.tsx',
    name: 'refuse a batch',
    as: 'approver',
    isOffline: true,
    open: async (tab, world) =>
      typedIn(await dialogOf(tab, ofBusiness(world, `payouts/batches/${world.batches.waiting}`), 'Refuse', 'Refuse'), tab, 'No'),
  },
  {
    file: 'merchant/approvals/rule-form.tsx',
    name: 'approval rule',
    as: 'owner',
    open: async (tab, world) => typedIn(await dialogOf(tab, ofBusiness(world, 'approvals'), 'Change', 'Save the rule'), tab, ''),
  },
  {
    file: 'merchant/approvals/rule.tsx',
    name: 'remove the approval rule',
    as: 'owner',
    isOffline: true,
    open: (tab, world) => dialogOf(tab, ofBusiness(world, 'approvals'), 'Remove', 'Remove'),
  },
  {
    file: 'merchant/approvals/decision.tsx',
    name: 'approve',
    as: 'approver',
    isOffline: true,
    open: (tab, world) => dialogOf(tab, ofBusiness(world, 'approvals'), 'Approve', 'Approve'),
  },
  {
    file: 'merchant/team/role-forms.tsx',
    name: 'invite',
    as: 'owner',
    open: (tab, world) => dialogOf(tab, ofBusiness(world, 'team'), 'Invite', 'Send the invitation'),
  },
  {
    file: 'merchant/team/role-forms.tsx',
    name: 'change a role',
    as: 'owner',
    isOffline: true,
    open: async (tab, world) => {
      const menu = `Actions for ${world.memberName}`
      const send = await menuOf(tab, ofBusiness(world, 'team'), menu, 'Change the role', 'Save')
      await tab.getByRole('radio', { name: 'Accountant' }).check()
      return send
    },
  },
  {
    file: 'merchant/team/dialogs.tsx',
    name: 'remove a member',
    as: 'owner',
    isOffline: true,
    open: async (tab, world) => {
      const send = await menuOf(tab, ofBusiness(world, 'team'), `Actions for ${world.memberName}`, 'Remove', 'Remove')
      return typedIn(send, tab, world.memberName)
    },
  },
  {
    file: 'merchant/team/dialogs.tsx',
    name: 'leave a business',
    as: 'approver',
    isOffline: true,
    open: async (tab, world) =>
      typedIn(await dialogOf(tab, ofBusiness(world, 'team'), 'Leave the business', 'Leave the business'), tab, 'Mwenge Duka'),
  },
  {
    file: 'merchant/brand/brand-screen.tsx',
    name: 'a logo that is no picture',
    as: 'student',
    open: async (tab) => {
      await tab.goto(test('brand'))
      // The file is sent as soon as it is chosen.
      tab.once('filechooser', (picker) => {
        void picker.setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
      })
      return button(tab, 'Choose another picture')
    },
  },
  {
    file: 'merchant/brand/brand-screen.tsx',
    name: 'a colour',
    as: 'student',
    open: async (tab) => {
      await tab.goto(test('brand'))
      await tab.getByLabel('Colour code').fill('yellow')
      return button(tab, 'Save the colour')
    },
  },
  {
    file: 'admin/merchant/brand-part.tsx',
    name: 'remove a logo',
    as: 'operator',
    isOffline: true,
    open: async (tab, { operator }) =>
      typedIn(
        await dialogOf(tab, `/admin/merchants/${operator.merchantId}`, 'Remove the logo', 'Remove the logo'),
        tab,
        'The logo of a bank',
      ),
  },
  {
    file: 'admin/merchant/merchant-screen.tsx',
    name: 'suspend a merchant',
    as: 'operator',
    isOffline: true,
    open: async (tab, { operator }) =>
      typedIn(await dialogOf(tab, `/admin/merchants/${operator.merchantId}`, 'Suspend', 'Suspend'), tab, 'Complaints'),
  },
  {
    file: 'admin/payout/payout-screen.tsx',
    name: 'refuse a payout',
    as: 'operator',
    isOffline: true,
    open: (tab, { operator }) => dialogOf(tab, `/admin/payouts/${operator.payoutId}`, 'Refuse', 'Refuse'),
  },
  {
    file: 'admin/switches/switches-screen.tsx',
    name: 'switch off',
    as: 'operator',
    isOffline: true,
    open: async (tab) =>
      typedIn(await dialogOf(tab, '/admin/switches', /^Switch off: Payments · Airtel/, 'Switch off'), tab, 'Fault'),
  },
  {
    file: 'admin/review/decision.tsx',
    name: 'reject a case',
    as: 'operator',
    isOffline: true,
    open: async (tab, { operator }) => {
      const send = await dialogOf(tab, `/admin/reviews/${operator.reviewId}`, 'Reject', 'Reject')
      await tab.getByLabel('Additional text').fill('Leseni ni ya 2019.')
      return send
    },
  },
  {
    file: 'admin/break-panel.tsx',
    name: 'propose a resolution',
    as: 'operator',
    isOffline: true,
    open: async (tab, { operator }) => {
      await tab.goto(`/admin/breaks/${operator.breakId}`)
      await tab.getByLabel('Credit the merchant').check()
      await tab.getByLabel('Evidence').fill('Ticket 7712')
      return button(tab, 'Propose')
    },
  },
  {
    file: 'admin/reconciliation/balances.tsx',
    name: 'record a movement',
    as: 'operator',
    open: (tab) => dialogOf(tab, '/admin/reconciliation', 'Record a movement', 'Record a movement'),
  },
  {
    file: 'admin/support-case/support-case-screen.tsx',
    name: 'close a support case',
    as: 'operator',
    open: async (tab, { operator }) => {
      await tab.goto(`/admin/support-cases/${operator.caseId}`)
      // The books contradict it.
      await tab.getByLabel('The payment was received').check()
      await tab.getByLabel('Evidence').fill('Ticket 7712')
      return button(tab, 'Close the case')
    },
  },
]

/** Forms without a row of their own: how many in each file, and why. */
export const withoutRow: Record<string, { count: number; why: string }> = {
  'ui/confirm-dialog.tsx': { count: 2, why: 'visited where it is used' },
  'admin/reason-dialog.tsx': { count: 1, why: 'visited where it is used' },
  'admin/review/decision.tsx': { count: 1, why: 'the approval asks only, in the same dialog as the rejection' },
  'merchant/app/keys.tsx': { count: 1, why: 'the grant of waiting permissions asks only; test/browser/developers opens it' },
  'merchant/approvals/approve-all.tsx': {
    count: 1,
    why: 'it sends what the dialog of one approval sends; test/browser/approvals opens it',
  },
  'merchant/profile/second-step.tsx': { count: 1, why: 'the same field and refusal as the code of the sign-in' },
}

/** `<form>` elements that the engine does not send. */
export const otherForms: Record<string, string> = {
  'ui/form.tsx': 'the engine',
  'admin/audit/audit-screen.tsx': 'a filter: it changes the address and is never refused',
  'admin/search/search-screen.tsx': 'a search: it is never refused',
  'merchant/payout-batch/rows.tsx': 'the cells of a table on a wide screen; on a phone the dialog of the row is used',
}
