/** Every screen of both dashboards, for the test of its language; `test/forms.test.ts` compares the list with the routes. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { merchantAccountKinds, systemAccountKinds, transferKinds } from '../../server/domain/ledger.ts'
import type { World } from './forms.ts'

const folder = join(import.meta.dirname, '../../dashboard/src')

export type Who = 'guest' | 'student' | 'owner' | 'newcomer' | 'operator'

type Screen = { /** As in `routes.ts`, after its app. */ route: string; as: Who; path(world: World): string }

const mine = (path: string): string => `/dashboard/me/test${path}`

const ofStudent = (route: string, path: (world: World) => string = () => route): Screen => ({
  route: `merchant ${route}`,
  as: 'student',
  path: (world) => mine(path(world)),
})
const outside = (route: string, as: Who, search = ''): Screen => ({
  route: `merchant ${route}`,
  as,
  path: () => `/dashboard${route}${search}`,
})
const ofOperator = (route: string, path: (world: World) => string = () => route, as: Who = 'operator'): Screen => ({
  route: `admin ${route}`,
  as,
  path: (world) => `/admin${path(world)}`,
})

export const screens: Screen[] = [
  outside('/sign-in', 'guest'),
  outside('/register', 'guest'),
  outside('/forgot-password', 'guest'),
  outside('/invitation', 'guest'),
  outside('/verify-email', 'newcomer'),
  outside('/profile', 'student'),
  outside('/new-business', 'student'),
  { route: 'merchant /verification', as: 'newcomer', path: () => mine('/verification?step=facts') },
  { route: 'merchant /approvals', as: 'owner', path: ({ businessId }) => `/dashboard/${businessId}/test/approvals` },
  { route: 'merchant /team', as: 'owner', path: ({ businessId }) => `/dashboard/${businessId}/test/team` },
  { route: 'merchant /team/activity', as: 'owner', path: ({ businessId }) => `/dashboard/${businessId}/test/team/activity` },
  ofStudent('/'),
  ofStudent('/try'),
  ofStudent('/developers'),
  ofStudent('/developers/apps/$appId', ({ appId }) => `/developers/apps/${appId}`),
  ofStudent('/developers/quick-start'),
  ofStudent('/developers/requests'),
  ofStudent('/brand'),
  ofStudent('/payouts'),
  ofStudent('/payouts/new'),
  {
    route: 'merchant /payouts/$payoutId',
    as: 'owner',
    path: (world) => `/dashboard/${world.businessId}/test/payouts/${world.waitingPayoutId}`,
  },
  ofStudent('/payouts/batches'),
  ofStudent('/payouts/batches/new'),
  ofStudent('/payouts/batches/$batchId', ({ batches }) => `/payouts/batches/${batches.wrong}`),
  ofStudent('/payouts/recipients'),
  ofStudent('/pages'),
  ofStudent('/pages/new'),
  ofStudent('/pages/$page', ({ pageId }) => `/pages/${pageId}`),
  ofStudent('/pages/$page/edit', ({ pageId }) => `/pages/${pageId}/edit`),
  ofStudent('/pages/requests'),
  ofStudent('/pages/requests/new'),
  ofStudent('/pages/requests/$request', ({ requestId }) => `/pages/requests/${requestId}`),
  ofStudent('/payments'),
  ofStudent('/payments/$reference', ({ paymentReference }) => `/payments/${paymentReference}`),
  ofStudent('/payments/customers'),
  ofStudent('/payments/customers/$customer', ({ customerId }) => `/payments/customers/${customerId}`),
  ofStudent('/statement'),
  ofStudent('/support'),
  { route: 'merchant /$owner/$environment/till', as: 'student', path: () => mine('/till') },
  ofOperator('/sign-in', undefined, 'guest'),
  ofOperator('/'),
  ofOperator('/audit'),
  ofOperator('/breaks'),
  ofOperator('/breaks/$id', ({ operator }) => `/breaks/${operator.breakId}`),
  ofOperator('/merchants/$id', ({ operator }) => `/merchants/${operator.merchantId}`),
  ofOperator('/payments/$reference', ({ paymentReference }) => `/payments/${paymentReference}`),
  ofOperator('/payouts'),
  ofOperator('/payouts/$id', ({ operator }) => `/payouts/${operator.payoutId}`),
  ofOperator('/reconciliation'),
  ofOperator('/reviews'),
  ofOperator('/reviews/$id', ({ operator }) => `/reviews/${operator.reviewId}`),
  ofOperator('/search'),
  ofOperator('/stuck'),
  ofOperator('/support-cases'),
  ofOperator('/support-cases/$id', ({ operator }) => `/support-cases/${operator.caseId}`),
  ofOperator('/switches'),
]

/** Routes without a row. */
export const notVisited: Record<string, string> = {
  'merchant /developers/apps/$appId/deliveries/$deliveryId': 'its texts are those of the list of deliveries and of its events',
  'merchant /till': 'it leads to the till of the last wallet',
  'admin /second-factor': 'the form of the profile, for an operator without a second factor',
}

/** All routes, as in the files. */
export function routesOf(app: 'merchant' | 'admin'): string[] {
  const declared = /(?:\bpath: |\b(?:ofWallet|screen)\(\s*)'([^']+)'/g
  const paths = [...readFileSync(join(folder, app, 'routes.ts'), 'utf8').matchAll(declared)].map((match) => match[1]!)
  return [...new Set(paths)].map((path) => `${app} ${path}`)
}

/** The English texts of the dashboards that are not also Swahili ones, without those with values or of one short word. */
export function englishTexts(): Set<string> {
  const quoted = /:\s*'((?:[^'\\]|\\.)+)'/g
  const [en, sw] = [new Set<string>(), new Set<string>()]
  for (const file of globSync('**/*.{ts,tsx}', { cwd: folder })) {
    const code = readFileSync(join(folder, file), 'utf8')
    for (const [, left, right] of code.matchAll(/:\s*\[\s*'((?:[^'\\]|\\.)+)',\s*'((?:[^'\\]|\\.)+)',?\s*\]/g)) {
      en.add(left!.replaceAll(String.raw`\'`, "'"))
      sw.add(right!.replaceAll(String.raw`\'`, "'"))
    }
    for (const [, left, right] of code.matchAll(/\ben: \{([\s\S]*?)\n\s+sw: \{([\s\S]*?)\n {2,4}\},?\n/g)) {
      for (const [, text] of left!.matchAll(quoted)) en.add(text!.replaceAll(String.raw`\'`, "'"))
      for (const [, text] of right!.matchAll(quoted)) sw.add(text!.replaceAll(String.raw`\'`, "'"))
    }
  }
  return new Set([...en].filter((text) => !sw.has(text) && !text.includes('{{')))
}

/** The values of the API's enumerations and the kinds of the ledger: codes, which a screen shows as words. */
export function codesOfApi(): Set<string> {
  const types = readFileSync(join(folder, 'api/operations.ts'), 'utf8')
  const unions = types.matchAll(/'[a-z_]+'(?: \| '[a-z_]+')+/g)
  const values = [...unions].flatMap(([union]) => [...union.matchAll(/[a-z_]+/g)].map(([value]) => value))
  return new Set([...values, ...transferKinds, ...merchantAccountKinds, ...systemAccountKinds])
}
