/** One case: its data, its documents with the open one beside them, and the decision. */
import { Alert, Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { Note } from '../../ui/note.tsx'
import { IconAlertTriangle, IconArrowLeft } from '../../ui/icons.ts'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { Moment } from '../../ui/moment.tsx'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { isRegion } from '../../ui/regions.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Facts } from '../facts.tsx'
import { useActorName, useMyId } from '../me.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { Decision } from './decision.tsx'
import { Documents, type Opened } from './documents.tsx'
import { History, useFieldName, useFieldValue } from './history.tsx'
import { useCase, type Case, type Double } from './read-case.ts'
import classes from './review.module.css'
import { reviewTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

export default function ReviewScreen() {
  const { id } = useParams({ from: '/signed-in/reviews/$id' })
  // Another case is a new screen, so that no state of the previous one remains.
  return <OneCase key={id} id={id} />
}

function OneCase({ id }: { id: string }) {
  const say = reviewTexts.use()
  const { found, newestVersion, error, refetch } = useCase(id)
  const [isRefused, setIsRefused] = useState(false)
  if (!found) return <UnreadScreen title={say('decision')} of={{ error, refetch }} placeholder={480} />
  const isOld = isRefused || (newestVersion !== undefined && newestVersion > found.review.version)
  const reload = async () => {
    await refetch()
    setIsRefused(false)
  }
  return (
    <Screen
      title={found.name}
      actions={
        <Button
          variant="subtle"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/reviews" {...props} />}
        >
          {say('back')}
        </Button>
      }
    >
      <Head found={found} />
      {isOld && (
        <Alert color="yellow" role="alert" icon={<IconAlertTriangle aria-hidden />} title={say('conflict')}>
          <Stack gap="xs" align="start">
            <Text>{say('conflictText')}</Text>
            <Button size="xs" variant="default" onClick={() => void reload()}>
              {say('reload')}
            </Button>
          </Stack>
        </Alert>
      )}
      <Body found={found} isOld={isOld} onConflict={() => setIsRefused(true)} />
    </Screen>
  )
}

function Head({ found }: { found: Case }) {
  const say = reviewTexts.use()
  const sayShared = operatorTexts.use()
  const nameOf = useActorName()
  const me = useMyId()
  const claim = useAction('POST /v1/admin/reviews/{merchant_id}/claim')
  const release = useAction('POST /v1/admin/reviews/{merchant_id}/release')
  const params = { merchant_id: found.id }
  const holder = found.claim?.reviewer
  const take = async (): Promise<void> => {
    try {
      // The current reviewer releases the case first, so that the audit log has both steps.
      if (holder) await release.mutateAsync({ params })
      await claim.mutateAsync({ params, body: {} })
    } catch (error) {
      notifyProblem(error)
    }
  }
  return (
    <Group gap="md">
      <StatusBadge status={found.status} />
      <Text c="dimmed">{sayShared(found.kind)}</Text>
      {found.review.submitted_at !== null && (
        <Text c="dimmed">
          {say('submitted')} <Moment at={found.review.submitted_at} ago />
        </Text>
      )}
      {holder && <Text>{say('claimedBy', { name: nameOf(holder.id, holder.name) })}</Text>}
      {found.review.stage === 'submitted' && !found.self_review && (
        <Group gap="xs">
          {holder?.id !== me && (
            <Button size="xs" variant="default" onClick={() => void take()} loading={claim.isPending || release.isPending}>
              {say(holder ? 'takeOver' : 'take')}
            </Button>
          )}
          {holder?.id === me && me !== undefined && (
            <Button
              size="xs"
              variant="default"
              onClick={() => release.mutate({ params }, { onError: notifyProblem })}
              loading={release.isPending}
            >
              {say('release')}
            </Button>
          )}
        </Group>
      )}
    </Group>
  )
}

/** Which documents this reviewer has opened in their present version. */
function useOpened(id: string): { opened: Opened | undefined; readAgain(): void } {
  const { data, refetch } = useAnswer('GET /v1/admin/reviews/{merchant_id}/opened-documents', { params: { merchant_id: id } })
  return {
    opened: data && {
      required: data.data.required,
      isOpened: (document) => data.data.documents.some((one) => one.id === document && one.opened),
    },
    readAgain: () => void refetch(),
  }
}

function Body({ found, isOld, onConflict }: { found: Case; isOld: boolean; onConflict(): void }) {
  const say = reviewTexts.use()
  const fieldName = useFieldName()
  const fieldValue = useFieldValue()
  // Marks belong to one version: a new submission must be checked again. They survive a reload, but not the tab.
  const [checked, setChecked] = useSessionStorage<string[]>({
    key: `malipo-checked-${found.id}-${found.review.version}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const { opened, readAgain } = useOpened(found.id)
  const unopened = found.documents
    .filter(({ id, unreadable }) => opened?.required && !unreadable && !opened.isOpened(id))
    .map(({ purpose }) => purpose)
  const unchecked = found.documents.filter(({ id }) => !checked.includes(id)).length
  return (
    <div className={classes['case']}>
      <Stack gap="lg">
        {found.resembles !== null && <Resembles name={found.resembles} />}
        {found.doubles.length > 0 && <Doubles doubles={found.doubles} />}
        <Section title={say('data')}>
          <Facts
            facts={[
              ...Object.entries(found.facts).map(
                ([field, value]) =>
                  [
                    fieldName(field),
                    field === 'region' ? <Region key={field} name={value ?? ''} /> : fieldValue(field, value),
                  ] as const,
              ),
              ...(found.representative
                ? [
                    [
                      say('representative'),
                      <Representative key="representative" representative={found.representative} />,
                    ] as const,
                  ]
                : []),
              ...(found.suspension ? [[say('suspended'), found.suspension.reason] as const] : []),
            ]}
          />
          {found.doubles.length === 0 && <Note mt="sm">{say('noDuplicates')}</Note>}
        </Section>
      </Stack>
      <Documents
        caseId={found.id}
        kind={found.kind}
        documents={found.documents}
        checked={checked}
        opened={opened}
        onOpened={readAgain}
        onCheck={(id, isChecked) => setChecked((now) => (isChecked ? [...now, id] : now.filter((one) => one !== id)))}
      />
      <Stack gap="lg">
        <Section title={say('decision')}>
          {found.review.stage === 'decided' ? (
            <Decided found={found} />
          ) : (
            !isOld && <Decision decided={found} unchecked={unchecked} unopened={unopened} onConflict={onConflict} />
          )}
          {isOld && <Text c="dimmed">{say('conflict')}</Text>}
        </Section>
        {found.history.length > 0 && (
          <Section title={say('history')}>
            <History history={found.history} />
          </Section>
        )}
      </Stack>
    </div>
  )
}

function Region({ name }: { name: string }) {
  const say = reviewTexts.use()
  return (
    <Group gap="xs">
      <span>{name}</span>
      {!isRegion(name) && <Badge color="yellow">{say('otherRegion')}</Badge>}
    </Group>
  )
}

function Representative({ representative }: { representative: NonNullable<Case['representative']> }) {
  const say = reviewTexts.use()
  return (
    <Group gap="xs">
      <span>
        <b>{representative.full_name}</b> · {representative.role}
      </span>
      <StatusBadge status={representative.kyc_status} />
      <Link to="/reviews/$id" params={{ id: representative.user_id }}>
        {say('representativeOpen')}
      </Link>
    </Group>
  )
}

function Resembles({ name }: { name: string }) {
  const say = reviewTexts.use()
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say('resembles')}>
      {name}
    </Alert>
  )
}

function Doubles({ doubles }: { doubles: readonly Double[] }) {
  const say = reviewTexts.use()
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say('duplicates')}>
      <List spacing={4}>
        {doubles.map(({ id, name, same }) => (
          <List.Item key={id}>
            <Link to="/reviews/$id" params={{ id }}>
              {name}
            </Link>
            {`: ${same.map((what) => say(`same.${what as 'phone'}`)).join(', ')}`}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

function Decided({ found }: { found: Case }) {
  const say = reviewTexts.use()
  const navigate = useNavigate()
  const goOn = async (): Promise<void> => {
    try {
      const { data } = await call('GET /v1/admin/reviews', { query: { limit: 1, kind: found.kind } })
      const [next] = data
      if (next) await navigate({ to: '/reviews/$id', params: { id: next.id } })
      else notifyDone(say('noNext'))
    } catch (error) {
      notifyProblem(error)
    }
  }
  return (
    <Stack gap="sm" align="start">
      <Group gap="xs">
        <StatusBadge status={found.status} />
        {found.review.decided_at !== null && <Moment at={found.review.decided_at} />}
      </Group>
      {found.rejection_reason !== null && (
        <Text style={{ whiteSpace: 'pre-line' }} c="dimmed">
          {found.rejection_reason}
        </Text>
      )}
      <Button variant="default" onClick={() => void goOn()}>
        {say('next')}
      </Button>
    </Stack>
  )
}
