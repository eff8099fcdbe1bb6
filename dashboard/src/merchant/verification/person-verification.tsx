/** Verifies a person. */
import { Skeleton } from '@mantine/core'
import { useState } from 'react'
import type { PersonalKyc, User } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useDraft } from '../../ui/draft.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { dayText } from '../../ui/format.ts'
import { Screen } from '../../ui/screen.tsx'
import { Flow, useSteps } from './flow.tsx'
import { PersonForm } from './person-form.tsx'
import { personDraftOf, personProblems, refusedFacts } from './person-facts.ts'
import { StudentForm } from './student-form.tsx'
import { verificationTexts } from './texts.ts'

export function PersonVerification() {
  const say = verificationTexts.use()
  const kyc = useAnswer('GET /v1/kyc', {}, { isLive: true })
  const me = useAnswer('GET /v1/me', {})
  if (kyc.data && me.data) return <Person key={me.data.data.id} me={me.data.data} kyc={kyc.data.data} onChanged={kyc.refetch} />
  const failed = kyc.error ? kyc : me.error ? me : undefined
  return (
    <Screen title={say('title.person')}>
      {failed ? <ErrorState error={failed.error} onRetry={failed.refetch} /> : <Skeleton h={360} />}
    </Screen>
  )
}

type Props = { me: User; kyc: PersonalKyc; onChanged(): unknown }

function Person({ me, kyc, onChanged }: Props) {
  const say = verificationTexts.use()
  const { go } = useSteps()
  const draft = useDraft(`person ${me.id}`, personDraftOf(kyc))
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { mutate, isPending, error, reset } = useAction('POST /v1/kyc')
  const { national_id_number: number, date_of_birth: dateOfBirth } = draft.value
  const typed = number.trim()
  const urlOf = (purpose: string): string => kyc.documents.find((document) => document.purpose === purpose)?.document_url ?? ''

  const send = (): void =>
    mutate(
      {
        body: {
          ...(typed !== '' && { national_id_number: typed }),
          date_of_birth: dateOfBirth,
          national_id_url: urlOf('national_id'),
          student_id_card_url: urlOf('student_id_card'),
          selfie_url: urlOf('selfie'),
        },
      },
      {
        onSuccess: () => {
          draft.clear()
          go(undefined)
        },
        onError: (failure) => {
          const found = refusedFacts(failure, say)
          setRefused(found)
          if (Object.keys(found).length > 0) go('facts')
          // An operator has decided, or another tab replaced a file: the current state is shown.
          void onChanged()
        },
      },
    )

  const ending = typed === '' ? kyc.national_id_last4 : typed.slice(-4)
  return (
    <Flow
      subject={{ kind: 'person', id: me.id }}
      title={say('title.person')}
      text={say('text.person')}
      one={kyc}
      hasFacts={me.student_id !== null && Object.keys(personProblems(draft.value, kyc, say)).length === 0}
      facts={[
        [say('fact.full_name'), me.full_name],
        [say('fact.institution'), me.institution],
        [say('fact.student_id'), me.student_id],
        [say('fact.national_id_number'), ending === null ? say('missing') : `•••• ${ending}`],
        [say('fact.date_of_birth'), dateOfBirth === '' ? say('missing') : dayText(`${dateOfBirth}T12:00:00+03:00`)],
      ]}
      factsStep={
        me.student_id === null ? (
          <StudentForm />
        ) : (
          <PersonForm
            me={me}
            kyc={kyc}
            draft={draft}
            refused={refused}
            onDone={() => {
              setRefused({})
              go('documents')
            }}
          />
        )
      }
      isSending={isPending}
      error={Object.keys(refused).length === 0 ? error : undefined}
      onForget={reset}
      onSend={send}
      onChanged={() => void onChanged()}
    />
  )
}
