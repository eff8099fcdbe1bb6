/** Why a wallet may not do something yet, with a link to the remedy. */
import { Alert, Anchor, Text } from '@mantine/core'
import { IconLock } from '../ui/icons.ts'
import { Link } from '@tanstack/react-router'
import { useAnswer } from '../api/queries.ts'
import type { Profile } from '../api/operations.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { useAccount } from './account.ts'
import { useCan, type Permission } from './membership.ts'

const texts = defineTexts('barred', {
  keys: ['Live keys are not available yet', 'Funguo halisi bado hazijafunguliwa'],
  pages: ['You cannot create or change payment pages yet', 'Bado huwezi kutengeneza wala kubadilisha kurasa za malipo'],
  requests: ['You cannot create payment requests yet', 'Bado huwezi kutengeneza maombi ya malipo'],
  payouts: ['Payouts are not available yet', 'Kutuma pesa bado hakujafunguliwa'],
  refunds: ['Refunds are not available yet', 'Kurudisha fedha bado hakujafunguliwa'],
  suspended: ['Malipo has suspended this account: {{reason}}', 'Malipo imesimamisha akaunti hii: {{reason}}'],
  person: {
    unsubmitted: [
      'Your identity has not been verified. Send your documents; it takes a few minutes.',
      'Utambulisho wako haujathibitishwa. Tuma hati zako; ni dakika chache tu.',
    ],
    pending: [
      'Your documents are not verified yet. You will get a mail as soon as they are.',
      'Hati zako bado hazijathibitishwa. Utapata barua pepe zikithibitishwa.',
    ],
    rejected: [
      'Your documents were rejected. See the reason, and send them again.',
      'Hati zako zimekataliwa. Angalia sababu, kisha uzitume tena.',
    ],
  },
  business: {
    unsubmitted: ['The business has not been verified. Send its documents.', 'Biashara haijathibitishwa. Tuma hati zake.'],
    pending: [
      'The business is not verified yet. See the open steps.',
      'Biashara bado haijathibitishwa. Angalia kinachosubiriwa.',
    ],
    rejected: [
      'The documents of the business were rejected. See the reason, and send them again.',
      'Hati za biashara zimekataliwa. Angalia sababu, kisha uzitume tena.',
    ],
  },
  meanwhile: [
    'Meanwhile your test page and your test key work in the test environment.',
    'Kwa sasa ukurasa wako na ufunguo wako wa majaribio vinafanya kazi kwenye mazingira ya majaribio.',
  ],
  way: ['To verification', 'Nenda kwenye uthibitisho'],
  email: ['Verify your e-mail address', 'Thibitisha barua pepe yako'],
  emailText: [
    'Live keys and payouts may be refused until you enter the code that was mailed to you.',
    'Kutengeneza ufunguo halisi, na kutuma pesa kutoka hapa, kunaweza kukataliwa hadi uingize msimbo uliotumwa kwa barua pepe.',
  ],
  emailWay: ['Enter the code', 'Ingiza msimbo'],
})

type What = 'keys' | 'pages' | 'requests' | 'payouts' | 'refunds'

function isOpen({ capabilities, environment }: Profile, what: What): boolean {
  // A key of the test environment moves no money, so every merchant may have one.
  if (what === 'keys') return environment === 'test' || capabilities.live_keys
  // Every account may ask for test payments.
  if (what === 'requests') return environment === 'test' || capabilities.page_writes
  // What was paid in test can be given back in test.
  if (what === 'refunds') return environment === 'test' || capabilities.payouts
  return what === 'pages' ? capabilities.page_writes : capabilities.payouts
}

/** What the role of the person must allow for it. */
const permissionFor: Record<What, Permission> = {
  keys: 'apps.write',
  pages: 'pages.write',
  requests: 'requests.write',
  payouts: 'payouts.write',
  refunds: 'payouts.write',
}

/** Whether the wallet of this screen may do it, and the role of the person; undefined while that is unknown. */
export function useMay(what: What): boolean | undefined {
  const { query } = useAccount()
  const profile = useAnswer('GET /v1/merchant/profile', { query }).data?.data
  const isAllowed = useCan()(permissionFor[what])
  if (isAllowed !== true) return isAllowed
  return profile && isOpen(profile, what)
}

/** Warns in live, before any refusal, that the person's e-mail address is not verified. */
function UnverifiedEmail() {
  const say = texts.use()
  const me = useAnswer('GET /v1/me', {}).data?.data
  if (!me || me.email_verified) return undefined
  return (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title={say('email')}>
      <Text>{say('emailText')}</Text>
      <Anchor component={Link} to="/verify-email" fw={600}>
        {say('emailWay')}
      </Anchor>
    </Alert>
  )
}

/** Nothing if the wallet may, and the person's address is verified or not required; nothing either if their role is the reason. */
export function Barred({ what }: { what: What }) {
  const say = texts.use()
  const { query } = useAccount()
  const profile = useAnswer('GET /v1/merchant/profile', { query }).data?.data
  const can = useCan()
  if (!profile || can(permissionFor[what]) !== true) return undefined
  if (isOpen(profile, what)) return profile.environment === 'live' && what !== 'pages' ? <UnverifiedEmail /> : undefined
  const { suspension, type, status, environment } = profile
  const kind = type === 'business' ? 'business' : 'person'
  return (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title={say(what)}>
      {suspension ? (
        <Text>{say('suspended', { reason: suspension.reason })}</Text>
      ) : (
        status !== 'verified' && <Text>{say(`${kind}.${status}`)}</Text>
      )}
      {environment === 'live' && kind === 'person' && <Text>{say('meanwhile')}</Text>}
      {!suspension && can('business.read') && (
        <Anchor component={Link} from="/$owner/$environment" to="./verification" fw={600}>
          {say('way')}
        </Anchor>
      )}
    </Alert>
  )
}
