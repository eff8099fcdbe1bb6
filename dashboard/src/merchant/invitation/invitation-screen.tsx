/** An invitation to a business: which business, which role and who sent it; accepted with an account, after signing in or registering. */
import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import { call, isRefusal } from '../../api/call.ts'
import type { Invitation, User } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { signOut } from '../../api/session.ts'
import { Facts } from '../../ui/facts.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { forgetInvitation, keptInvitation } from '../kept-invitation.ts'
import { useInvitation } from '../use-invitation.ts'
import classes from './invitation.module.css'
import { invitationTexts } from './texts.ts'
import { Problem } from '../../ui/form.tsx'
import { Unread } from '../../ui/unread.tsx'

export default function InvitationScreen() {
  const say = invitationTexts.use()
  const secret = keptInvitation()
  const read = useInvitation()
  if (secret === undefined) return <Ended title={say('incomplete')} text={say('incompleteText')} />
  if (isRefusal(read.error, 'not_found', 'validation_error')) return <Ended title={say('gone')} text={say('goneText')} />
  if (!read.data) {
    return (
      <GuestFrame title={say('loading')}>
        <Unread of={read} placeholder={220} />
      </GuestFrame>
    )
  }
  return <Invited invitation={read.data.data} secret={secret} />
}

function Ended({ title, text }: { title: string; text: string }) {
  const say = invitationTexts.use()
  return (
    <GuestFrame title={title}>
      <Stack>
        <Text>{text}</Text>
        <LinkButton to="/" variant="default">
          {say('toStart')}
        </LinkButton>
      </Stack>
    </GuestFrame>
  )
}

function Invited({ invitation, secret }: { invitation: Invitation; secret: string }) {
  const say = invitationTexts.use()
  const { isSignedIn } = useRouteContext({ from: '/invitation' })
  const { business_name: business, invited_by_name: inviter, role } = invitation
  return (
    <GuestFrame
      title={say('title', { business })}
      text={inviter === null ? say('byBusiness', { business }) : say('by', { name: inviter, business })}
    >
      <Stack>
        <div className={classes['facts']}>
          <Facts
            facts={[
              [
                say('role'),
                <div key="role">
                  <Text fw={600}>{say(`name.${role}`)}</Text>
                  <Text>{say(`may.${role}`)}</Text>
                </div>,
              ],
              [say('for'), invitation.email],
              [say('until'), <Moment key="until" at={invitation.expires_at} />],
            ]}
          />
        </div>
        {isSignedIn ? <Accept invitation={invitation} secret={secret} /> : <Guest />}
      </Stack>
    </GuestFrame>
  )
}

function Guest() {
  const say = invitationTexts.use()
  return (
    <>
      <Text c="dimmed">{say('hasAccount')}</Text>
      <LinkButton to="/sign-in" search={{ return: '/invitation' }} size="md">
        {say('signIn')}
      </LinkButton>
      <LinkButton to="/register" variant="default" size="md">
        {say('register')}
      </LinkButton>
    </>
  )
}

function Accept({ invitation, secret }: { invitation: Invitation; secret: string }) {
  const say = invitationTexts.use()
  const client = useQueryClient()
  const navigate = useNavigate()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const accept = useAction('POST /v1/invitations/accept', [])
  const { business_name: business } = invitation
  if (!me) return <Skeleton h={44} />
  const refusal = whatIsMissing(me, invitation, accept.error)
  if (refusal === 'other') return <OtherAccount me={me} invited={invitation.email} />
  /** Opens the business: its real data, if the role may see any. */
  const open = async (memberId: string): Promise<void> => {
    forgetInvitation()
    client.clear()
    const memberships = await call('GET /v1/memberships', {})
    const joined = memberships.data.find((one) => one.member_id === memberId)
    const isLive = joined?.business.status === 'verified' && joined.permissions.live.includes('payments.read')
    const place = { owner: joined?.business.id ?? 'me', environment: isLive ? 'live' : 'test' }
    await navigate({ to: '/$owner/$environment', params: place, replace: true })
    notifyDone(say('accepted', { business }))
  }
  return (
    <>
      <Text c="dimmed">{say('signedInAs', { email: me.email })}</Text>
      {refusal === undefined && <Problem error={accept.error} />}
      {refusal === 'email' && (
        <Alert color="yellow" role="alert">
          <Stack gap="xs" align="start">
            {say('unverified')}
            <LinkButton to="/verify-email" size="xs">
              {say('verify')}
            </LinkButton>
          </Stack>
        </Alert>
      )}
      {refusal === 'kyc' && (
        <Alert color="yellow" role="alert">
          <Stack gap="xs" align="start">
            {say('kyc')}
            <LinkButton to="/$owner/$environment/verification" params={{ owner: 'me', environment: 'live' }} size="xs">
              {say('toKyc')}
            </LinkButton>
          </Stack>
        </Alert>
      )}
      {refusal !== 'email' && (
        <Button
          size="md"
          loading={accept.isPending}
          onClick={() =>
            accept.mutate({ body: { token: secret } }, { onSuccess: ({ data }) => void open(data.id).catch(notifyProblem) })
          }
        >
          {say('accept')}
        </Button>
      )}
    </>
  )
}

/** What keeps this person from accepting; the API decides, and the address is known before. */
function whatIsMissing(me: User, { email }: Invitation, error: unknown): 'other' | 'email' | 'kyc' | undefined {
  if (isRefusal(error, 'invitation_for_another_address') || me.email.toLowerCase() !== email.toLowerCase()) return 'other'
  if (!me.email_verified || isRefusal(error, 'email_not_verified')) return 'email'
  return isRefusal(error, 'kyc_required') ? 'kyc' : undefined
}

function OtherAccount({ me, invited }: { me: User; invited: string }) {
  const say = invitationTexts.use()
  const client = useQueryClient()
  const navigate = useNavigate()
  const leave = async (): Promise<void> => {
    await signOut()
    client.clear()
    await navigate({ to: '/sign-in', search: { return: '/invitation' } })
  }
  return (
    <>
      <Alert color="yellow" role="alert">
        {say('other', { invited, email: me.email })}
      </Alert>
      <Button variant="default" onClick={() => void leave().catch(notifyProblem)}>
        {say('signOut')}
      </Button>
    </>
  )
}
