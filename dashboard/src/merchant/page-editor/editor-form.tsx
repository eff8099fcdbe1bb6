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
import type { FormOf } from '../../ui/form.tsx'
import { optional } from '../../ui/texts.ts'
import { CustomFieldsForm } from './custom-fields-form.tsx'
import { limitNames, types, type Draft } from './draft.ts'
import { editorTexts } from './texts.ts'

type Props = {
  form: FormOf<Draft>
  /** The type and the address of a page never change. */
  isNew: boolean
}

const furtherFields = [...limitNames, 'expires_at', 'success_message', 'redirect_url', 'slug', 'language']

function Amounts({ form }: Props) {
  const { allow_custom_amount: isCustom } = form.values
  const say = editorTexts.use()
  return (
    <Stack gap="sm">
      <div>
        <Text fw={500} size="sm" mb={4} id="amount-kind">
          {say('amountKind')}
        </Text>
        <SegmentedControl
          aria-labelledby="amount-kind"
          value={isCustom ? 'custom' : 'fixed'}
          onChange={(kind) => form.change({ allow_custom_amount: kind === 'custom' })}
          data={[
            { value: 'fixed', label: say('fixed') },
            { value: 'custom', label: say('custom') },
          ]}
        />
      </div>
      <AmountInput
        label={isCustom ? optional(say('suggestion')) : say('amount')}
        required={!isCustom}
        {...form.control('amount')}
      />
      {isCustom && (
        <SimpleGrid cols={2} spacing="sm">
          <AmountInput label={say('least')} placeholder="500" {...form.control('min_amount')} />
          <AmountInput label={say('most')} placeholder={say('noLimit')} {...form.control('max_amount')} />
        </SimpleGrid>
      )}
    </Stack>
  )
}

function Further({ form, isNew }: Props) {
  const say = editorTexts.use()
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        {limitNames.map((name) => (
          <AmountInput
            key={name}
            label={say(`limit.${name}.label`)}
            description={say(`limit.${name}.text`)}
            placeholder={say('noLimit')}
            leftSection={null}
            leftSectionWidth={0}
            {...form.control(name)}
          />
        ))}
        <TextInput type="datetime-local" label={say('endsAt')} description={say('endsAtText')} {...form.field('expires_at')} />
      </SimpleGrid>
      <NativeSelect
        label={say('language')}
        {...form.field('language')}
        data={[
          { value: 'auto', label: say('languageAuto') },
          { value: 'sw', label: 'Kiswahili' },
          { value: 'en', label: 'English' },
        ]}
      />
      <Textarea
        label={say('successMessage')}
        description={say('successMessageText')}
        maxLength={500}
        autosize
        minRows={2}
        {...form.field('success_message')}
      />
      <TextInput
        type="url"
        inputMode="url"
        label={say('redirectUrl')}
        description={say('redirectUrlText')}
        placeholder="https://"
        {...form.field('redirect_url')}
      />
      {isNew && (
        <TextInput
          label={say('slug')}
          description={say('slugText')}
          placeholder="duka-la-asha"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('slug')}
          onChange={({ currentTarget }) => form.change({ slug: currentTarget.value.toLowerCase() })}
        />
      )}
    </Stack>
  )
}

export function EditorFields(props: Props) {
  const { form, isNew } = props
  const { values: draft, problems } = form
  const say = editorTexts.use()
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
            {...form.field('title')}
            data-autofocus
          />
          <Textarea label={optional(say('description'))} maxLength={2000} autosize minRows={2} {...form.field('description')} />
          {isNew && (
            <NativeSelect
              label={say('type')}
              {...form.field('type')}
              onChange={({ currentTarget }) => {
                const type = currentTarget.value as Draft['type']
                form.change({ type, ...(type === 'invoice' && { max_payments: 1 }) })
              }}
              data={types.map((value) => ({ value, label: say(`types.${value}`) }))}
            />
          )}
        </Stack>
      </Paper>
      <Paper p="lg">
        <Amounts {...props} />
      </Paper>
      <CustomFieldsForm
        fields={draft.custom_fields}
        onChange={(custom_fields) => form.change({ custom_fields })}
        problems={problems}
      />
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
