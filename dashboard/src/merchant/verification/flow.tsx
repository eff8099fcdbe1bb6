/** The steps of a verification, the same for people and businesses: state, forms, and the submitted data. */
import { Alert, Anchor, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconCircleCheck, IconCircleX, IconClock, IconLock } from '../../ui/icons.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useLanguage } from '../../i18n/define-texts.ts'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/form.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Screen } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Steps } from '../../ui/steps.tsx'
import type { PersonalKyc } from '../../api/operations.ts'
import type { KeptDocument } from './document-card.tsx'
import { Documents } from './documents.tsx'
import classes from './flow.module.css'
import type { StepKey } from '../searches.ts'
import { Before } from './before.tsx'
import { foundErrors, reasonIn, type ItemError } from './item-problems.ts'
import { isPurpose, useItemName } from './item-name.ts'
import { verificationTexts } from './texts.ts'
import { useUploadCount, type Subject } from './uploads.ts'

/** The common fields of both kinds, as in the API. */
export type Case = {
  status: PersonalKyc['status']
  rejection_reason: string | null
  review: { stage: PersonalKyc['review']['stage']; submitted_at: string | null }
  requirements: PersonalKyc['requirements']
  documents: readonly KeptDocument[]
  verified_at: string | null
}

type Props = {
  subject: Subject
  title: string
  text: string
  one: Case
  /** The entered data, for a final check. */
  facts: readonly (readonly [string, ReactNode])[]
  /** Whether the first step is done. */
  hasFacts: boolean
  factsStep: ReactNode
  /** Why it cannot be sent yet, besides missing values. */
  barrier?: ReactNode
  isSending: boolean
  /** The refusal of the submission as a whole. */
  error: unknown
  /** Clears the error of the previous try. */
  onForget(): void
  onSend(): void
  onChanged(): void
}

export function useSteps(): { step: StepKey | undefined; go(step: StepKey | undefined): void } {
  const { step } = useSearch({ from: '/signed-in/$owner/$environment/verification' })
  const navigate = useNavigate({ from: '/$owner/$environment/verification' })
  return { step, go: (next) => void navigate({ search: next ? { step: next } : {} }) }
}

const isMissing = ({ status, unreadable }: KeptDocument): boolean => status !== 'uploaded' || unreadable

export function Flow(props: Props) {
  const { subject, title, text, one, hasFacts, factsStep, isSending, onForget, onChanged } = props
  const say = verificationTexts.use()
  const { step, go: goTo } = useSteps()
  const go = (next: StepKey): void => {
    if (!isSending) onForget()
    goTo(next)
  }
  const { status, review, documents, requirements } = one
  const isDraft = review.stage === 'draft'
  const isOverview = status === 'verified' || (step === undefined && !isDraft)
  const hasDocuments = !documents.some(isMissing)
  // Only the first step is chosen automatically; later progress does not move the person.
  const [first] = useState<StepKey>(!hasFacts ? 'facts' : hasDocuments ? 'send' : 'documents')
  const current = step ?? first
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = isOverview ? 'overview' : current
  const shownBefore = useRef(shown)
  useEffect(() => {
    if (shownBefore.current === shown) return
    shownBefore.current = shown
    // The clicked button is gone: a screen reader announces the new step. A wrong field of it has the focus already.
    if (document.activeElement?.getAttribute('aria-invalid') !== 'true') heading.current?.focus()
  }, [shown])
  return (
    <Screen title={title} text={isDraft ? text : undefined} mark={<StatusBadge status={isDraft ? 'unsubmitted' : status} />}>
      <Standing one={one} isOverview={isOverview} onCorrect={go} />
      {isDraft && current === 'facts' && !hasFacts && (
        <Before kind={subject.kind} purposes={documents.map(({ purpose }) => purpose)} />
      )}
      {isOverview ? (
        <Stack gap="lg">
          <Title order={2} ref={heading} tabIndex={-1} className={classes['heading']!}>
            {say('sent')}
          </Title>
          <Summary {...props} />
          {status === 'pending' && (
            <Group>
              <Button variant="default" onClick={() => go('facts')}>
                {say('change')}
              </Button>
              <Note>{say('changeText')}</Note>
            </Group>
          )}
        </Stack>
      ) : (
        <>
          <Steps<StepKey>
            label={say('stepsLabel')}
            current={current}
            onGo={go}
            steps={[
              { key: 'facts', name: say(`steps.facts.${subject.kind}`), isDone: hasFacts },
              { key: 'documents', name: say('steps.documents'), isDone: hasDocuments },
              { key: 'send', name: say('steps.send'), isDone: false },
            ]}
          />
          <Stack gap="md" component="section">
            <Title order={2} ref={heading} tabIndex={-1} className={classes['heading']!}>
              {current === 'facts' ? say(`steps.facts.${subject.kind}`) : say(`steps.${current}`)}
            </Title>
            {current === 'facts' && factsStep}
            {current === 'documents' && (
              <>
                <Documents subject={subject} documents={documents} errors={requirements.errors} onChanged={onChanged} />
                <Group>
                  <Button size="md" onClick={() => go('send')}>
                    {say('goOn')}
                  </Button>
                  <Button size="md" variant="default" onClick={() => go('facts')}>
                    {say('goBack')}
                  </Button>
                </Group>
              </>
            )}
            {current === 'send' && <SendStep {...props} onGo={go} />}
          </Stack>
        </>
      )}
    </Screen>
  )
}

/** The wrong documents and fields with their reasons, each a way to its place. */
function FoundList({ errors, onCorrect }: { errors: readonly ItemError[]; onCorrect(step: StepKey): void }) {
  const say = verificationTexts.use()
  const nameOf = useItemName()
  const language = useLanguage()
  return (
    <List spacing="xs">
      {errors.map((error) => (
        <List.Item key={error.item}>
          <Anchor
            component="button"
            type="button"
            fw={600}
            onClick={() => onCorrect(isPurpose(error.item) ? 'documents' : 'facts')}
            aria-label={`${say('correctItem')}: ${nameOf(error.item)}`}
          >
            {nameOf(error.item)}
          </Anchor>
          <Text className={classes['reason']!}>{reasonIn(language, error)}</Text>
        </List.Item>
      ))}
    </List>
  )
}

function Standing({ one, isOverview, onCorrect }: { one: Case; isOverview: boolean; onCorrect(step: StepKey): void }) {
  const say = verificationTexts.use()
  const language = useLanguage()
  const { status, review, requirements, documents, rejection_reason, verified_at } = one
  const isReadable = !documents.some(({ unreadable, under_review }) => unreadable && under_review)
  const found = foundErrors(requirements.errors)
  const general = reasonIn(
    language,
    requirements.errors.find(({ item }) => item === 'review'),
  )
  const firstWrong: StepKey = found.length > 0 && found.every(({ item }) => isPurpose(item)) ? 'documents' : 'facts'
  if (status === 'verified')
    return (
      <Alert color="green" icon={<IconCircleCheck aria-hidden />} title={say('verified.title')} role="status">
        {verified_at !== null && <Moment at={verified_at} />} · {say('verified.text')}
      </Alert>
    )
  if (status === 'rejected')
    return (
      <Alert color="red" icon={<IconCircleX aria-hidden />} title={say('rejected.title')} role="status">
        <Stack align="start" gap="sm">
          {found.length > 0 ? (
            <>
              <Text>{say('rejected.items', { count: found.length })}</Text>
              <FoundList errors={found} onCorrect={onCorrect} />
              {general !== undefined && <Text className={classes['reason']!}>{general}</Text>}
            </>
          ) : (
            <>
              <Text className={classes['reason']!}>{general ?? rejection_reason}</Text>
              <Text>{say('rejected.text')}</Text>
            </>
          )}
          {isOverview && (
            <Button color="red" onClick={() => onCorrect(firstWrong)}>
              {say('correct')}
            </Button>
          )}
        </Stack>
      </Alert>
    )
  if (review.stage !== 'submitted') return null
  return (
    <Alert color={isReadable ? 'blue' : 'yellow'} icon={<IconClock aria-hidden />} title={say('pending.title')} role="status">
      <Stack align="start" gap="sm">
        <Text>
          {review.submitted_at !== null && (
            <>
              {say('pending.since')} <Moment at={review.submitted_at} />.{' '}
            </>
          )}
          {say('pending.text')}
        </Text>
        {requirements.currently_due.includes('submission') && (
          <>
            <Text fw={600}>{say('pending.unreadable')}</Text>
            {isOverview && <Button onClick={() => onCorrect('documents')}>{say('correct')}</Button>}
          </>
        )}
      </Stack>
    </Alert>
  )
}

function Summary({ facts, one }: Pick<Props, 'facts' | 'one'>) {
  const say = verificationTexts.use()
  return (
    <Paper p="lg">
      <Facts
        facts={[
          ...facts,
          ...one.documents.map(
            (document) =>
              [
                say(`purpose.${document.purpose}`),
                isMissing(document) ? (
                  <Text key="missing" span c="var(--mantine-color-error)">
                    {say(document.unreadable ? 'refused.document_unreadable' : 'missing')}
                  </Text>
                ) : (
                  <span key="there">
                    {say('uploaded')} {document.uploaded_at !== null && <Moment at={document.uploaded_at} />}
                  </span>
                ),
              ] as const,
          ),
        ]}
      />
    </Paper>
  )
}

function SendStep({
  subject,
  one,
  facts,
  hasFacts,
  barrier,
  isSending,
  error,
  onSend,
  onGo,
}: Props & { onGo(step: StepKey): void }) {
  const say = verificationTexts.use()
  const uploading = useUploadCount(subject)
  const missing = one.documents.filter(isMissing)
  const nameOf = useItemName()
  const still = foundErrors(one.requirements.errors).filter(({ item }) => isPurpose(item))
  const isComplete = hasFacts && missing.length === 0 && uploading === 0
  return (
    <Stack gap="md">
      <Problem error={error} />
      <Summary facts={facts} one={one} />
      {!isComplete && (
        <Alert color="yellow" icon={<IconLock aria-hidden />} title={say('notYet')}>
          <List>
            {!hasFacts && (
              <List.Item>
                {say('notYetFacts')}{' '}
                <Button variant="subtle" size="compact-sm" onClick={() => onGo('facts')}>
                  {say(`steps.facts.${subject.kind}`)}
                </Button>
              </List.Item>
            )}
            {uploading > 0 && <List.Item>{say('uploading', { count: uploading })}</List.Item>}
            {missing.length > 0 && (
              <List.Item>
                {missing.map(({ purpose }) => say(`purpose.${purpose}`)).join(', ')}{' '}
                <Button variant="subtle" size="compact-sm" onClick={() => onGo('documents')}>
                  {say('steps.documents')}
                </Button>
              </List.Item>
            )}
          </List>
        </Alert>
      )}
      {still.length > 0 && (
        <Alert color="yellow" icon={<IconLock aria-hidden />}>
          {say('rejected.still', { names: still.map(({ item }) => nameOf(item)).join(', ') })}
        </Alert>
      )}
      {barrier}
      <Group>
        {/* A disabled button explains the reason above. */}
        <Button size="md" loading={isSending} disabled={!isComplete || Boolean(barrier)} onClick={onSend}>
          {say('send')}
        </Button>
        <Button size="md" variant="default" onClick={() => onGo('documents')}>
          {say('goBack')}
        </Button>
      </Group>
      <Note>{say('sendText')}</Note>
    </Stack>
  )
}
