/** Whether money that leaves waits for approval, whose, and how the members have decided: on the screens of payouts and refunds. */
import { TextLink } from './links.tsx'
import { Alert, Text } from '@mantine/core'
import type { Approval, Payout } from '../api/operations.ts'
import { useAnswer } from '../api/queries.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { momentText } from '../ui/format.ts'
import { IconUserCheck } from '../ui/icons.ts'
import { useAccount } from './account.ts'

const texts = defineTexts('approval-state', {
  members: ['Waits for the approval of members', 'Inasubiri idhini ya wanachama'],
  operators: ['Waits for the approval of Malipo', 'Inasubiri idhini ya Malipo'],
  membersText: [
    'Requested by {{name}}. Without an approval it is cancelled on {{when}}.',
    'Imeombwa na {{name}}. Bila idhini itaghairiwa {{when}}.',
  ],
  operatorsText: [
    'Malipo checks very large amounts before they leave. You do not need to do anything.',
    'Malipo inakagua kiasi kikubwa sana kabla hakijatoka. Huhitaji kufanya chochote.',
  ],
  given: ['{{given}} of {{needed}} approvals.', 'Idhini {{given}} kati ya {{needed}}.'],
  approvedBy: ['Approved by {{name}}, {{when}}.', 'Imeidhinishwa na {{name}}, {{when}}.'],
  way: ['To the approvals', 'Nenda kwenye idhini'],
  approved: ['Approved', 'Imeidhinishwa'],
  refused: ['Refused', 'Imekataliwa'],
  refusedFor: ['Refused by a member: {{reason}}', 'Imekataliwa na mwanachama: {{reason}}'],
  expired: ['Not approved in time', 'Haikuidhinishwa kwa wakati'],
})

export type Approvable = Pick<Payout, 'id' | 'status' | 'approval' | 'approval_by'>

/** What the members have decided; undefined while that is not known, or if they had nothing to decide. */
function useDecision({ id, approval }: Approvable): Approval | undefined {
  const { owner, query } = useAccount()
  const isWanted = owner !== 'me' && approval !== 'none'
  return useAnswer('GET /v1/merchant/approvals/{id}', { params: { id }, query }, { isWanted, isLive: approval === 'required' })
    .data?.data
}

/** Nothing unless it waits. */
export function ApprovalNotice({ of }: { of: Approvable }) {
  const say = texts.use()
  const decision = useDecision(of)
  const { status, approval, approval_by: by } = of
  if (status !== 'pending' || approval !== 'required') return undefined
  const isForMembers = by === 'members'
  return (
    <Alert color="yellow" icon={<IconUserCheck aria-hidden />} title={say(isForMembers ? 'members' : 'operators')}>
      {isForMembers && decision && (
        <Text>
          {say('membersText', {
            name: decision.requested_by.name,
            when: momentText(decision.expires_at),
          })}{' '}
          {say('given', { given: decision.approved_by.length, needed: decision.approvers_needed })}
        </Text>
      )}
      {!isForMembers && <Text>{say('operatorsText')}</Text>}
      {decision && <Voters decision={decision} />}
      {isForMembers && (
        <TextLink to="./approvals" fw={600}>
          {say('way')}
        </TextLink>
      )}
    </Alert>
  )
}

function Voters({ decision: { approved_by: votes } }: { decision: Approval }) {
  const say = texts.use()
  return votes.map(({ user_id: id, name, at }) => <Text key={id}>{say('approvedBy', { name, when: momentText(at) })}</Text>)
}

/** The approval in a few words: that it waits, who approved it, why it was refused. */
export function ApprovalFact({ of }: { of: Approvable }) {
  const say = texts.use()
  const decision = useDecision(of)
  const { status, approval, approval_by: by } = of
  if (status === 'pending' && approval === 'required') return say(by === 'members' ? 'members' : 'operators')
  if (decision?.status === 'expired') return say('expired')
  if (decision?.status === 'refused' && decision.reason !== null) return say('refusedFor', { reason: decision.reason })
  if (approval === 'refused') return say('refused')
  if (!decision || decision.approved_by.length === 0) return say('approved')
  return <Voters decision={decision} />
}
