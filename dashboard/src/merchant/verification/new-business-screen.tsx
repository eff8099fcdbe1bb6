/** Registers a business: with saved details it has a wallet and a sandbox, and its documents are next. */
import { useQueryClient } from '@tanstack/react-query'
import { Skeleton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { isUnsureAfter } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useAnswer } from '../../api/queries.ts'
import { keepSandbox, newSandbox } from '../../api/session.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Steps } from '../../ui/steps.tsx'
import { useAccount } from '../account.ts'
import { Before } from './before.tsx'
import { emptyBusiness, type BusinessBody } from './business-facts.ts'
import { BusinessForm } from './business-form.tsx'
import { StudentForm } from './student-form.tsx'
import { verificationTexts } from './texts.ts'

const ownBusinesses = async () => (await call('GET /v1/businesses', { query: { limit: 100 } })).data

/** Registers it once: if an earlier answer was lost, the created business is updated with the current values. */
function useRegister(): (body: BusinessBody) => Promise<string> {
  const before = useRef<Set<string>>(undefined)
  /** The names under which it may have been registered. */
  const names = useRef(new Set<string>())
  return async (body) => {
    before.current ??= new Set((await ownBusinesses()).map(({ id }) => id))
    if (names.current.size > 0) {
      // Another tab may register another business at the same time.
      const made = (await ownBusinesses()).find(({ id, legal_name }) => !before.current!.has(id) && names.current.has(legal_name))
      if (made !== undefined) {
        await call('PATCH /v1/businesses/{business_id}', { params: { business_id: made.id }, body })
        return made.id
      }
    }
    try {
      const { id, sandbox } = (await call('POST /v1/businesses', { body })).data
      if (sandbox) keepSandbox(id, sandbox)
      return id
    } catch (error) {
      if (isUnsureAfter(error, names.current.size > 0)) names.current.add(body.legal_name.normalize('NFC').trim())
      else names.current.clear()
      throw error
    }
  }
}

export default function NewBusinessScreen() {
  const say = verificationTexts.use()
  const { owner, environment } = useAccount()
  const navigate = useNavigate()
  const client = useQueryClient()
  const register = useRegister()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const save = async (body: BusinessBody): Promise<void> => {
    const id = await register(body)
    // Its role is in the memberships: without it, the new business would look like that of others.
    for (const changed of ['GET /v1/businesses', 'GET /v1/memberships']) await client.invalidateQueries({ queryKey: [changed] })
    // Its key is shown once, to the tab that got the answer.
    await (newSandbox(id)
      ? navigate({ to: '/$owner/$environment', params: { owner: id, environment: 'test' } })
      : navigate({ to: '/$owner/$environment/verification', params: { owner: id, environment }, search: { step: 'documents' } }))
  }
  return (
    <Screen title={say('title.new')} text={say('text.business')}>
      <Before
        kind="business"
        purposes={['registration_certificate', 'tax_certificate', 'business_license', 'proof_of_address']}
      />
      <Steps
        label={say('stepsLabel')}
        current="facts"
        onGo={() => undefined}
        steps={[
          { key: 'facts', name: say('steps.facts.business'), isDone: false },
          { key: 'documents', name: say('steps.documents'), isDone: false, isClosed: true },
          { key: 'send', name: say('steps.send'), isDone: false, isClosed: true },
        ]}
      />
      {me?.student_id === null ? (
        <StudentForm />
      ) : me ? (
        <BusinessForm
          key={me.id}
          first={emptyBusiness}
          draftKey={`new business of ${me.id}`}
          save={save}
          below={
            <LinkButton to="/$owner/$environment" params={{ owner, environment }} variant="default" size="md">
              {say('cancel')}
            </LinkButton>
          }
        />
      ) : (
        <Skeleton h={420} />
      )}
    </Screen>
  )
}
