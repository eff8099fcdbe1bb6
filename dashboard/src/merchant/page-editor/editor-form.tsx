/** The fields of a payment page: first the common ones, then the optional ones. */
import {
  Button,
  Collapse,
  Group,
  NativeSelect,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '../../ui/icons.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { shared } from '../../ui/texts.ts'
import { CustomFieldsForm } from './custom-fields-form.tsx'
import { types, type Draft } from './draft.ts'
import { editorTexts } from './texts.ts'

type Props = {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  /** By the API's field names. */
  problems: Record<string, string>
  /** The type and the address of a page never change. */
  isNew: boolean
}

const furtherFields = ['max_payments', 'expires_at', 'success_message', 'redirect_url', 'slug', 'language']

function Amounts({ draft, onChange, problems }: Props) {
  const say = editorTexts.use()
  const sayShared = shared.use()
  return (
    <Stack gap="sm">
      <div>
        <Text fw={500} size="sm" mb={4} id="amount-kind">
          {say('amountKind')}
        </Text>
        <SegmentedControl
          aria-labelledby="amount-kind"
          value={draft.isCustom ? 'custom' : 'fixed'}
          onChange={(kind) => onChange({ isCustom: kind === 'custom' })}
          data={[
            { value: 'fixed', label: say('fixed') },
            { value: 'custom', label: say('custom') },
          ]}
        />
      </div>
      <AmountInput
        label={draft.isCustom ? `${say('suggestion')} (${sayShared('optional')})` : say('amount')}
        required={!draft.isCustom}
        value={draft.amount}
        onChange={(amount) => onChange({ amount })}
        error={problems['amount']}
      />
      {draft.isCustom && (
        <SimpleGrid cols={2} spacing="sm">
          <AmountInput
            label={say('least')}
            placeholder="500"
            value={draft.least}
            onChange={(least) => onChange({ least })}
            error={problems['min_amount']}
          />
          <AmountInput
            label={say('most')}
            placeholder={say('noLimit')}
            value={draft.most}
            onChange={(most) => onChange({ most })}
            error={problems['max_amount']}
          />
        </SimpleGrid>
      )}
    </Stack>
  )
}

function Further({ draft, onChange, problems, isNew }: Props) {
  const say = editorTexts.use()
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        <AmountInput
          label={say('mostPayments')}
          description={say('mostPaymentsText')}
          placeholder={say('noLimit')}
          leftSection={null}
          leftSectionWidth={0}
          value={draft.mostPayments}
          onChange={(mostPayments) => onChange({ mostPayments })}
          error={problems['max_payments']}
        />
        <TextInput
          type="datetime-local"
          label={say('endsAt')}
          description={say('endsAtText')}
          value={draft.endsAt}
          onChange={({ currentTarget }) => onChange({ endsAt: currentTarget.value })}
          error={problems['expires_at']}
        />
      </SimpleGrid>
      <NativeSelect
        label={say('language')}
        value={draft.language}
        onChange={({ currentTarget }) => onChange({ language: currentTarget.value as Draft['language'] })}
        data={[
          { value: 'auto', label: say('languageAuto') },
          { value: 'sw', label: 'Kiswahili' },
          { value: 'en', label: 'English' },
        ]}
        error={problems['language']}
      />
      <Textarea
        label={say('successMessage')}
        description={say('successMessageText')}
        value={draft.successMessage}
        onChange={({ currentTarget }) => onChange({ successMessage: currentTarget.value })}
        maxLength={500}
        autosize
        minRows={2}
        error={problems['success_message']}
      />
      <TextInput
        type="url"
        inputMode="url"
        label={say('redirectUrl')}
        description={say('redirectUrlText')}
        placeholder="https://"
        value={draft.redirectUrl}
        onChange={({ currentTarget }) => onChange({ redirectUrl: currentTarget.value })}
        error={problems['redirect_url']}
      />
      {isNew && (
        <TextInput
          label={say('slug')}
          description={say('slugText')}
          placeholder="duka-la-asha"
          autoCapitalize="none"
          spellCheck={false}
          value={draft.slug}
          onChange={({ currentTarget }) => onChange({ slug: currentTarget.value.toLowerCase() })}
          error={problems['slug']}
        />
      )}
    </Stack>
  )
}

export function EditorFields(props: Props) {
  const { draft, onChange, problems, isNew } = props
  const say = editorTexts.use()
  const sayShared = shared.use()
  const [isOpen, { toggle }] = useDisclosure(false)
  const needsPlaces = draft.type === 'event' || draft.type === 'invoice'
  // Optional fields with errors or required values are shown at once.
  const isShown = isOpen || needsPlaces || furtherFields.some((field) => problems[field] !== undefined)
  return (
    <Stack gap="lg">
      <Paper p="lg">
        <Stack gap="sm">
          <TextInput
            label={say('title')}
            description={say('titleText')}
            required
            maxLength={120}
            value={draft.title}
            onChange={({ currentTarget }) => onChange({ title: currentTarget.value })}
            error={problems['title']}
            data-autofocus
          />
          <Textarea
            label={`${say('description')} (${sayShared('optional')})`}
            value={draft.description}
            onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
            maxLength={2000}
            autosize
            minRows={2}
            error={problems['description']}
          />
          {isNew && (
            <NativeSelect
              label={say('type')}
              value={draft.type}
              onChange={({ currentTarget }) => {
                const type = currentTarget.value as Draft['type']
                onChange({ type, ...(type === 'invoice' && { mostPayments: 1 }) })
              }}
              data={types.map((value) => ({ value, label: say(`types.${value}`) }))}
              error={problems['type']}
            />
          )}
        </Stack>
      </Paper>
      <Paper p="lg">
        <Amounts {...props} />
      </Paper>
      <CustomFieldsForm fields={draft.customFields} onChange={(customFields) => onChange({ customFields })} problems={problems} />
      <Paper p="lg">
        <Group justify="space-between">
          <Text fw={550}>{say('further')}</Text>
          {!needsPlaces && (
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              aria-expanded={isShown}
              rightSection={<IconChevronDown size={14} aria-hidden />}
              onClick={toggle}
            >
              {say(isShown ? 'less' : 'more')}
            </Button>
          )}
        </Group>
        <Collapse expanded={isShown}>
          <Further {...props} />
        </Collapse>
      </Paper>
    </Stack>
  )
}
