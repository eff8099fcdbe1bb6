/** One entry of the queue: what leaves, to whom, who asked, who has approved, and the decision of the reader. */
import { TextLink } from '../links.tsx'
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import type { Approval } from '../../api/operations.ts'
import { Facts } from '../../ui/facts.tsx'
import { money, momentText, phoneText } from '../../ui/format.ts'
import { IconCheck, IconX } from '../../ui/icons.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { shared } from '../../ui/texts.ts'
import classes from './approvals.module.css'
import { ruleSentence } from './rule-sentence.ts'
import { approvalsTexts } from './texts.ts'

/** The entry in a few words: `TSh 20,000 to Asha Mushi`. */
export function titleOf(say: ReturnType<typeof approvalsTexts.use>, { kind, amount, member, recipient, rule }: Approval): string {
  if (member !== null) return say('becomes', { name: member.name ?? '…', role: say(`name.${member.role}`) })
  if (kind === 'rule_change') return say(rule === null ? 'noRuleAnyMore' : 'newRule')
  const sum = money(amount ?? 0)
  return recipient === null ? say('batchOf', { amount: sum }) : say('to', { amount: sum, name: recipient.name })
}

type Props = { entry: Approval; onDecide(verdict: 'approve' | 'refuse'): void }

export function ApprovalCard({ entry, onDecide }: Props) {
  const say = approvalsTexts.use()
  const title = titleOf(say, entry)
  const { hash } = useLocation()
  const isConfirming = entry.confirmed_by_mail && entry.why_not === 'own_request' && hash !== ''
  return (
    <Paper component="li" p="lg" aria-label={title}>
      <Stack>
        <Group justify="space-between" align="start" gap="xs">
          <Title order={3} size="h2" className={classes['title']!}>
            {title}
          </Title>
          <Badge color="gray">{say(`kind.${entry.kind}`)}</Badge>
        </Group>
        <div className={classes['facts']}>
          <About entry={entry} />
        </div>
        <Way entry={entry} />
        {entry.may_decide ? (
          <div className={classes['decision']}>
            <Button variant="default" size="md" leftSection={<IconX size={16} aria-hidden />} onClick={() => onDecide('refuse')}>
              {say('refuse')}
            </Button>
            <Button size="md" leftSection={<IconCheck size={16} aria-hidden />} onClick={() => onDecide('approve')}>
              {say('approve')}
            </Button>
          </div>
        ) : isConfirming ? (
          <Button size="md" onClick={() => onDecide('approve')}>
            {say('approve')}
          </Button>
        ) : (
          <WhyNot entry={entry} />
        )}
      </Stack>
    </Paper>
  )
}

function WhyNot({ entry: { confirmed_by_mail: isByMail, why_not: whyNot, requested_by } }: { entry: Approval }) {
  const say = approvalsTexts.use()
  if (whyNot === null) return undefined
  if (isByMail && whyNot === 'own_request') return <Text c="dimmed">{say('whyNot.byMail')}</Text>
  const isOwnKey = whyNot === 'own_request' && requested_by.key_id !== null
  return <Text c="dimmed">{say(isOwnKey ? 'whyNot.ownKey' : `whyNot.${whyNot}`)}</Text>
}

function About({ entry }: { entry: Approval }) {
  const say = approvalsTexts.use()
  const { exceeds, fee, kind, method, recipient, requested_by: asker, rule } = entry
  return (
    <Facts
      facts={[
        kind === 'rule_change' && [say('wanted'), ruleSentence(say, rule)],
        recipient !== null && [say('number'), <Recipient key="number" {...recipient} />],
        recipient !== null && recipient.narration !== null && [say('purpose'), recipient.narration],
        method === 'outside' && [say('how'), say('outside')],
        fee !== null && method !== 'outside' && [say('fee'), <Money key="fee" amount={fee} />],
        exceeds !== null && [
          say('why'),
          say(`exceeds.${exceeds.sum}`, { total: money(exceeds.total), above: money(exceeds.above) }),
        ],
        [say('askedBy'), asker.key_id === null ? asker.name : say('byKey', { name: asker.name })],
        [say('since'), <Moment key="since" at={entry.requested_at} ago />],
        [say('until'), <Moment key="until" at={entry.expires_at} />],
        [say('approvals'), <Given key="given" entry={entry} />],
      ]}
    />
  )
}

/** Number and network. */
export function Recipient({ phone_number: phone, network }: NonNullable<Approval['recipient']>) {
  const sayShared = shared.use()
  return (
    <>
      <span className="figures nowrap">{phoneText(phone)}</span>
      {network !== null && (
        <>
          {' '}
          <span className="nowrap">· {sayShared(`network.${network}`)}</span>
        </>
      )}
    </>
  )
}

/** How many of the needed approvals there are, and whose. */
function Given({ entry: { approved_by: votes, approvers_needed: needed } }: { entry: Approval }) {
  const say = approvalsTexts.use()
  return (
    <>
      {say('given', { given: votes.length, needed })}
      {votes.map(({ user_id: id, name, at }) => (
        <Text key={id}>{say('approvedBy', { name, when: momentText(at) })}</Text>
      ))}
    </>
  )
}

/** To the payout or batch, or to the payment that is refunded. */
function Way({ entry: { id, kind, payment } }: { entry: Approval }) {
  const say = approvalsTexts.use()
  if (kind === 'payout') {
    return (
      <TextLink to="./payouts/$payoutId" params={{ payoutId: id }}>
        {say('toPayout')}
      </TextLink>
    )
  }
  if (kind === 'payout_batch') {
    return (
      <TextLink to="./payouts/batches/$batchId" params={{ batchId: id }}>
        {say('toBatch')}
      </TextLink>
    )
  }
  if (payment === null) return undefined
  return (
    <TextLink to="./payments/$reference" params={{ reference: payment }}>
      {say('toPayment')}
    </TextLink>
  )
}
