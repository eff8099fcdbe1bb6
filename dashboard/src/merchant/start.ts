/**
 * The first script of a visit: small, so that the session and the data of the first screen come while the others are still loading, and
 * are shown as soon as they are there.
 */
import '../i18n/page-language.ts'
import { askAhead } from '../api/ahead.ts'
import { isSignedIn } from '../api/session.ts'
import { reloadWithoutFiles } from '../ui/reload-once.ts'
import { failFirstLook } from './first-look/draw.ts'
import { showFirstHome } from './first-look/first-home.ts'
import { showFirstSignIn } from './first-look/first-sign-in.ts'
import { accountOf, firstPlace, readPlace } from './place.ts'

reloadWithoutFiles()

/** The first parts of the addresses at which a guest is asked to sign in; the other ones are screens of a guest. */
const forMembers = /^(?:|sign-in|me|biz_\w+)$/

async function readAhead(): Promise<void> {
  const path = location.pathname.replace(/^\/dashboard\/?/, '')
  const [owner = '', environment = '', ...screen] = path.split('/')
  if (!(await isSignedIn())) {
    if (forMembers.test(owner)) showFirstSignIn()
    return
  }
  const place = path === '' ? firstPlace() : readPlace({ owner, environment })
  void askAhead('GET /v1/me', {})
  const memberships = askAhead('GET /v1/memberships', {})
  if (!place || screen.some((part) => part !== '')) return
  const { query } = accountOf(place)
  // What the role of a member does not include is not asked for.
  const member = place.owner === 'me' ? undefined : (await memberships).data.find(({ business }) => business.id === place.owner)
  const may = (permission: 'wallet.read' | 'statements.read' | 'payments.read'): boolean =>
    place.owner === 'me' || member?.permissions[place.environment].includes(permission) === true
  const payments = may('payments.read') ? askAhead('GET /v1/merchant/payments', { query: { ...query, limit: 8 } }) : undefined
  if (!may('wallet.read') || !may('statements.read')) return
  const balance = askAhead('GET /v1/merchant/balance', { query })
  void askAhead('GET /v1/merchant/summary', { query })
  if (payments) {
    showFirstHome(place, member?.business.name, { balance: (await balance).data, payments: (await payments).data })
  }
}

// A failure is shown by the app, which asks again.
readAhead().catch(() => undefined)

import('./main.tsx').catch(failFirstLook)
