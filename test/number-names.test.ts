/** The words that people compare: a number, a role, an amount and a phone are named and written alike on every face. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { phoneText, money } from '../dashboard/src/ui/format.ts'
import { numberNames } from '../dashboard/src/ui/number-names.ts'
import { shillings } from '../server/domain/currency.ts'
import { localPhone } from '../server/domain/phone.ts'
import { swahiliRoles } from '../server/accounts/members/member-mails.ts'
import { messagesOf as checkoutMessages } from '../server/views/web/checkout/messages.ts'
import { messagesOf as mailMessages } from '../server/views/notifications/receipt-messages.ts'
import { mustBeNone } from './must-match.ts'

const root = join(import.meta.dirname, '..')

test('each number has one name on the dashboard, the receipt and the mail, in both languages', () => {
  for (const [place, language] of ['en', 'sw'].entries()) {
    const [checkout, mail] = [checkoutMessages[language as 'en'], mailMessages[language as 'en']]
    for (const name of ['shortCode', 'reference'] as const) {
      assert.equal(checkout[name], numberNames[name][place])
      assert.equal(mail[name], numberNames[name][place])
    }
    assert.equal(mail.networkReceipt, numberNames.networkReceipt[place])
  }
})

test('no screen gives a number of the glossary another name', () => {
  const others =
    /['“](?:SMS number|Network receipt|Receipt number|Short code|Namba ya risiti|Namba ya SMS|Risiti ya mtandao|Namba kwa mtoa huduma)['”]/
  const named = Object.values(numberNames).flat()
  const files = globSync(['dashboard/src/**/*.ts', 'server/views/web/checkout/case-screen.ts'], { cwd: root }).filter(
    (file) => !file.endsWith('number-names.ts'),
  )
  const wrong = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines
      .filter(
        (line) =>
          others.test(line) ||
          (/^ {2}(?:shortCode|networkReceipt|merchantReference|providerReference):/.test(line) &&
            named.some((name) => line.includes(`'${name}'`))),
      )
      .map((line) => `${file}: ${line.trim()}`)
  })
  mustBeNone(wrong, 'Name the number as dashboard/src/ui/number-names.ts does')
})

test('a role has one Swahili name on the dashboard and in mails', () => {
  const texts = readFileSync(join(root, 'dashboard/src/merchant/roles.ts'), 'utf8')
  const missing = Object.entries(swahiliRoles).filter(([role, name]) => {
    const shown = new RegExp(`${role}: \\['[^']+', '([^']+)'\\]`).exec(texts)?.[1]
    return shown?.toLowerCase() !== name
  })
  assert.deepEqual(missing, [])
})

test('the server and the dashboard write an amount and a phone number alike; the dashboard ends no line within an amount', () => {
  for (const amount of [0, 500, 5_000, 1_234_567]) {
    for (const language of ['en', 'sw'] as const) assert.equal(money(amount, language), shillings(amount).replace(' ', '\u00a0'))
  }
  for (const typed of ['+255754222444', '255754222444', '0754222444', '0754-222 444'])
    assert.equal(phoneText(typed), localPhone('+255754222444'))
  for (const other of ['+254712345678', '0754 ••• 444', '12345']) assert.equal(phoneText(other), other)
})
