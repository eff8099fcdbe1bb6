/** The link from an entry to the object that it is about, if that has a screen. */
import type { Activity } from '../../api/operations.ts'
import { TextLink } from '../../ui/link-button.tsx'
import { useAccount, type Environment } from '../account.ts'
import { activityTexts } from './texts.ts'

/** The screens of objects, by the prefix of the id. */
const screens = {
  po: (payoutId: string) => ({ to: '/$owner/$environment/payouts/$payoutId', params: { payoutId } }),
  pay: (reference: string) => ({ to: '/$owner/$environment/payments/$reference', params: { reference } }),
  cus: (customer: string) => ({ to: '/$owner/$environment/payments/customers/$customer', params: { customer } }),
  page: (page: string) => ({ to: '/$owner/$environment/pages/$page', params: { page } }),
  preq: (request: string) => ({ to: '/$owner/$environment/pages/requests/$request', params: { request } }),
  app: (appId: string) => ({ to: '/$owner/$environment/developers/apps/$appId', params: { appId } }),
} as const

/** In another environment, or after a deletion, there is no such screen. */
export function ObjectLink({ entry: { action, object }, environment }: { entry: Activity; environment?: Environment }) {
  const say = activityTexts.use()
  const account = useAccount()
  const prefix = object.slice(0, object.indexOf('_'))
  if (!isScreen(prefix) || action.endsWith('.deleted')) return undefined
  const { to, params } = screens[prefix](object)
  const place = { owner: account.owner, environment: environment ?? account.environment }
  return (
    <TextLink to={to as string} params={{ ...place, ...params } as never} size="sm" aria-label={`${say('open')}: ${object}`}>
      {say('open')}
    </TextLink>
  )
}

const isScreen = (prefix: string): prefix is keyof typeof screens => prefix in screens
