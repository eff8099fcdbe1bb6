/** The roles of members, and what each may do, in one sentence. */
import type { Member } from '../api/operations.ts'
import { defineTexts } from '../i18n/define-texts.ts'

export type Role = Member['role']

/** In the order of the forms: the fewest rights first, so that no one gets more than they need by default. */
export const roles: readonly Role[] = ['cashier', 'accountant', 'approver', 'developer', 'admin', 'owner']

export const roleTexts = defineTexts('roles', {
  name: {
    owner: ['Owner', 'Mmiliki'],
    admin: ['Admin', 'Meneja'],
    approver: ['Approver', 'Mwidhinishaji'],
    accountant: ['Accountant', 'Mhasibu'],
    cashier: ['Cashier', 'Mtunza fedha'],
    developer: ['Developer', 'Mtengenezaji programu'],
  },
  may: {
    owner: ['Everything. Only owners make and remove owners.', 'Kila kitu. Wamiliki pekee huongeza na kuondoa wamiliki.'],
    admin: [
      'Everything except owners: members, rules, pages, payouts, keys and the data of the business.',
      'Kila kitu isipokuwa wamiliki: wanachama, kanuni, kurasa, kutuma pesa, funguo na taarifa za biashara.',
    ],
    approver: [
      'Sees the money, requests payouts and refunds, and approves those of others.',
      'Huona pesa, huomba kutuma na kurudisha fedha, na huidhinisha maombi ya wengine.',
    ],
    accountant: [
      'Sees payments, balance and statements, and requests payouts and refunds. Approves nothing.',
      'Huona malipo, salio na taarifa za akaunti, na huomba kutuma na kurudisha fedha. Haidhinishi.',
    ],
    cashier: [
      'Sees the payments of today and makes payment requests. Sees no balance and sends no money.',
      'Huona malipo ya leo na hutengeneza maombi ya malipo. Haoni salio wala hatumi pesa.',
    ],
    developer: [
      'Manages apps, keys and webhooks. Sees and tries everything in test, and no real money.',
      'Husimamia programu, funguo na webhook. Huona na hujaribu kila kitu cha majaribio, si pesa halisi.',
    ],
  },
})
