/** Verifies a business; its representative must be verified first. */
import { Alert, Stack, Text } from '@mantine/core'
import { IconUserCheck } from '../../ui/icons.ts'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Business } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { changesOf } from '../../ui/changes-of.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { useAccount } from '../account.ts'
import { standingOf } from '../standing.ts'
import { bodyOf, draftOf, factNames } from './business-facts.ts'
import { BusinessForm } from './business-form.tsx'
import { Flow, useSteps } from './flow.tsx'
import { fieldReasons } from './item-problems.ts'
import { verificationTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'
import { phoneText } from '../../ui/format.ts'

export function BusinessVerification({ id }: { id: string }) {
  const say = verificationTexts.use()
  const { data, error, refetch } = useAnswer(
    'GET /v1/businesses/{business_id}',
    { params: { business_id: id } },
    { isLive: true },
  )
  if (data) return <BusinessSteps business={data.data} onChanged={refetch} />
  return <UnreadScreen title={say('title.business')} of={{ error, refetch }} placeholder={360} />
}

function BusinessSteps({ business, onChanged }: { business: Business; onChanged(): unknown }) {
  const say = verificationTexts.use()
  const client = useQueryClient()
  const { go } = useSteps()
  const language = useLanguage()
  const { id, representative } = business
  const { mutate, isPending, error, reset } = useAction('POST /v1/businesses/{business_id}/documents')
  const urlOf = (purpose: string): string =>
    business.documents.find((document) => document.purpose === purpose)?.document_url ?? ''

  const send = (): void =>
    mutate(
      {
        params: { business_id: id },
        body: {
          registration_certificate_url: urlOf('registration_certificate'),
          tax_certificate_url: urlOf('tax_certificate'),
          business_license_url: urlOf('business_license'),
          proof_of_address_url: urlOf('proof_of_address'),
        },
      },
      { onSuccess: () => go(undefined), onError: () => void onChanged() },
    )

  return (
    <Flow
      subject={{ kind: 'business', id }}
      title={say('title.business')}
      text={say('text.business')}
      one={{ ...business, status: standingOf(business) }}
      hasFacts
      facts={factNames
        .toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
        .map((name) => [
          say(`fact.${name}`),
          name === 'business_type'
            ? say(`businessType.${business.business_type}`)
            : name === 'phone'
              ? phoneText(business.phone)
              : business[name] || say('none'),
        ])}
      factsStep={
        <BusinessForm
          first={draftOf(business)}
          draftKey={`business ${id}`}
          found={fieldReasons(business.requirements.errors, factNames, language)}
          save={async (body) => {
            const changes = changesOf(bodyOf(draftOf(business)), body)
            await call('PATCH /v1/businesses/{business_id}', { params: { business_id: id }, body: changes })
            await client.invalidateQueries()
            go('documents')
          }}
        />
      }
      barrier={representative.kyc_status !== 'verified' && <RepresentativeFirst business={business} />}
      isSending={isPending}
      error={error}
      onForget={reset}
      onSend={send}
      onChanged={() => void onChanged()}
    />
  )
}

/** In reading order, from the name to the representative. */
const order: readonly string[] = [
  'business_type',
  'legal_name',
  'trading_name',
  'registration_number',
  'tax_identification_number',
  'address',
  'city',
  'region',
  'phone',
  'email',
  'website',
  'representative_role',
]

function RepresentativeFirst({ business: { id, representative } }: { business: Business }) {
  const say = verificationTexts.use()
  const { environment } = useAccount()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const members = useAnswer('GET /v1/businesses/{business_id}/members', { params: { business_id: id } }).data?.data
  const { user_id: userId, kyc_status: status } = representative
  if (me === undefined) return undefined
  if (me.id !== userId) {
    const name = members?.find((member) => member.user_id === userId)?.name ?? say('representative.unnamed')
    return (
      <Alert color="yellow" icon={<IconUserCheck aria-hidden />} title={say('representative.otherTitle', { name })}>
        {say('representative.other', { name })}
      </Alert>
    )
  }
  return (
    <Alert color="yellow" icon={<IconUserCheck aria-hidden />} title={say('representative.title')}>
      <Stack align="start" gap="sm">
        <Text>{say(status === 'pending' ? 'representative.pending' : 'representative.text')}</Text>
        <LinkButton to="/$owner/$environment/verification" params={{ owner: 'me', environment }} variant="default">
          {say('representative.way')}
        </LinkButton>
      </Stack>
    </Alert>
  )
}
