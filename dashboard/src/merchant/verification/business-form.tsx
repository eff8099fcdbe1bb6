/** The fields of a business: type, place, contact and representative. */
import { Button, Group, NativeSelect, Paper, SimpleGrid, TextInput, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import { Consent } from '../../auth/consent.tsx'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { useDraft } from '../../ui/draft.ts'
import { regions } from '../../ui/regions.ts'
import { optional } from '../../ui/texts.ts'
import {
  bodyOf,
  businessTypes,
  factProblems,
  missingFacts,
  needsNumber,
  type BusinessBody,
  type BusinessDraft,
  type FactName,
} from './business-facts.ts'
import { verificationTexts } from './texts.ts'

type Props = {
  first: BusinessDraft
  /** The owner, so that the draft stays with this person or business. */
  draftKey: string
  /** Sends the form; the draft is removed after success. */
  save(body: BusinessBody): Promise<void>
  below?: ReactNode
  /** A reviewer's reasons at these fields. */
  found?: Problems
}

/** Hints below the fields; those side by side are aligned. */
const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <Paper p="lg" role="group" aria-labelledby={id}>
      <Title order={3} id={id} mb="md">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="md">
        {children}
      </SimpleGrid>
    </Paper>
  )
}

export function BusinessForm({ first, draftKey, save, below, found = {} }: Props) {
  const say = verificationTexts.use()
  const draft = useDraft(draftKey, first, { survivesReload: true })
  const form = useForm({
    first: found,
    kept: draft,
    check: (values) => missingFacts(values, say),
    send: async (values) => {
      await save(bodyOf(values))
      draft.clear()
    },
    problemsOf: (error) => factProblems(error, say),
  })
  const field = (name: Exclude<FactName, 'business_type'>, isOptional = false) => ({
    label: isOptional ? optional(say(`fact.${name}`)) : say(`fact.${name}`),
    ...form.field(name),
    'aria-required': !isOptional,
    inputWrapperOrder: order,
  })
  const { region } = draft.value
  // What was sent through the API, or typed before there was a list, stays as it is until its owner chooses another.
  const isOther = region !== '' && !regions.some((name) => name === region)
  return (
    <Form of={form}>
      <Part title={say('part.what')}>
        <NativeSelect
          label={say('fact.business_type')}
          {...form.field('business_type')}
          data={businessTypes.map((value) => ({ value, label: say(`businessType.${value}`) }))}
        />
        <TextInput {...field('legal_name')} description={say('hint.legal_name')} maxLength={120} autoComplete="organization" />
        <TextInput {...field('trading_name', true)} description={say('hint.trading_name')} maxLength={120} />
        <TextInput
          {...field('registration_number', !needsNumber(draft.value))}
          description={say(needsNumber(draft.value) ? 'hint.registration_number' : 'hint.no_registration')}
          maxLength={64}
          autoComplete="off"
        />
        <TextInput
          {...field('tax_identification_number', true)}
          description={say('hint.tax_identification_number')}
          placeholder="123-456-789"
          maxLength={32}
          autoComplete="off"
          inputMode="numeric"
        />
      </Part>
      <Part title={say('part.where')}>
        <TextInput {...field('address')} description={say('hint.address')} maxLength={200} autoComplete="street-address" />
        <TextInput {...field('city')} maxLength={80} autoComplete="address-level2" />
        <NativeSelect
          {...field('region')}
          autoComplete="address-level1"
          data={[{ value: '', label: say('chooseRegion') }, ...(isOther ? [region] : []), ...regions]}
        />
      </Part>
      <Part title={say('part.reach')}>
        <TextInput {...field('phone')} type="tel" inputMode="tel" autoComplete="tel" placeholder="022 211 2345" maxLength={32} />
        <TextInput {...field('email')} type="email" autoComplete="email" autoCapitalize="none" maxLength={254} />
        <TextInput
          {...field('website', true)}
          inputMode="url"
          autoComplete="url"
          autoCapitalize="none"
          placeholder="https://"
          maxLength={2048}
        />
        <TextInput
          {...field('representative_role')}
          description={say('hint.representative_role')}
          maxLength={60}
          autoComplete="organization-title"
        />
      </Part>
      <Consent to="identify" />
      <Group>
        <Button type="submit" size="md" loading={form.isBusy}>
          {say('saveAndGoOn')}
        </Button>
        {below}
      </Group>
    </Form>
  )
}
