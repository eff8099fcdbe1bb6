/** The part of the editor for the page's own fields: added, changed, moved and removed. */
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { defineTexts } from '../../i18n/define-texts.ts'
import { Note } from '../../ui/note.tsx'
import { IconChevronDown, IconChevronUp, IconPlus, IconTrash } from '../../ui/icons.ts'
import { mostFields, moved, newField, type DraftField } from './custom-fields.ts'

const texts = defineTexts('custom-fields', {
  title: ['Questions to the payer', 'Maswali kwa mlipaji'],
  text: [
    'Up to five fields of your own, such as a table number or a size. The answers come with the payment.',
    'Hadi sehemu tano zako mwenyewe, kama namba ya meza au saizi. Majibu huja pamoja na malipo.',
  ],
  add: ['Add a field', 'Ongeza sehemu'],
  question: ['Field {{number}}', 'Sehemu ya {{number}}'],
  label: ['What the payer reads', 'Anachosoma mlipaji'],
  labelExample: ['Table number', 'Namba ya meza'],
  type: ['Answer', 'Jibu'],
  types: {
    text: ['Text', 'Maneno'],
    number: ['Number', 'Namba'],
    choice: ['Choice from a list', 'Kuchagua kwenye orodha'],
  },
  choices: ['Choices', 'Machaguo'],
  choicesText: ['One on each line, at most 20.', 'Moja kwa kila mstari, yasiyozidi 20.'],
  required: ['The payer must answer', 'Lazima mlipaji ajibu'],
  up: ['Move field {{number}} up', 'Sogeza juu sehemu ya {{number}}'],
  down: ['Move field {{number}} down', 'Sogeza chini sehemu ya {{number}}'],
  remove: ['Remove field {{number}}', 'Ondoa sehemu ya {{number}}'],
  labelProblem: ['Write what the payer reads, in at most 60 letters.', 'Andika anachosoma mlipaji, kisichozidi herufi 60.'],
  choicesProblem: [
    'Write 1 to 20 different choices, each of at most 60 letters.',
    'Andika machaguo tofauti 1 hadi 20, kila moja lisizidi herufi 60.',
  ],
})

type Props = {
  fields: readonly DraftField[]
  onChange(fields: DraftField[]): void
  /** By the API's field names: `custom_fields.0.label`. */
  problems: Record<string, string>
}

/** Whether the API has refused this part of a field. */
const isRefused = (problems: Record<string, string>, start: string): boolean =>
  Object.keys(problems).some((name) => name.startsWith(start))

export function CustomFieldsForm({ fields, onChange, problems }: Props) {
  const say = texts.use()
  const change = (index: number, changes: Partial<DraftField>): void =>
    onChange(fields.map((field, place) => (place === index ? { ...field, ...changes } : field)))
  return (
    <Paper p="lg" component="section" aria-labelledby="custom-fields">
      <Stack gap="md">
        <div>
          <Text fw={550} id="custom-fields">
            {say('title')}
          </Text>
          <Note>{say('text')}</Note>
        </div>
        {fields.map((field, index) => {
          const number = index + 1
          return (
            <Stack key={field.row} gap="xs" component="fieldset" m={0} p={0} bd={0}>
              <Group justify="space-between" wrap="nowrap">
                <Text component="legend" size="sm" fw={550}>
                  {say('question', { number })}
                </Text>
                <Group gap={4} wrap="nowrap">
                  <ActionIcon
                    aria-label={say('up', { number })}
                    disabled={index === 0}
                    onClick={() => onChange(moved(fields, index, -1))}
                  >
                    <IconChevronUp size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={say('down', { number })}
                    disabled={index === fields.length - 1}
                    onClick={() => onChange(moved(fields, index, 1))}
                  >
                    <IconChevronDown size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={say('remove', { number })}
                    onClick={() => onChange(fields.filter((_, place) => place !== index))}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              </Group>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
                <TextInput
                  label={say('label')}
                  placeholder={say('labelExample')}
                  maxLength={60}
                  required
                  value={field.label}
                  onChange={({ currentTarget }) => change(index, { label: currentTarget.value })}
                  error={isRefused(problems, `custom_fields.${index}.label`) && say('labelProblem')}
                />
                <NativeSelect
                  label={say('type')}
                  value={field.type}
                  onChange={({ currentTarget }) => change(index, { type: currentTarget.value as DraftField['type'] })}
                  data={(['text', 'number', 'choice'] as const).map((value) => ({ value, label: say(`types.${value}`) }))}
                />
              </SimpleGrid>
              {field.type === 'choice' && (
                <Textarea
                  label={say('choices')}
                  description={say('choicesText')}
                  required
                  autosize
                  minRows={3}
                  value={field.choices}
                  onChange={({ currentTarget }) => change(index, { choices: currentTarget.value })}
                  error={isRefused(problems, `custom_fields.${index}.choices`) && say('choicesProblem')}
                />
              )}
              <Checkbox
                label={say('required')}
                checked={field.required}
                onChange={({ currentTarget }) => change(index, { required: currentTarget.checked })}
              />
            </Stack>
          )
        })}
        {fields.length < mostFields && (
          <Group>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => onChange([...fields, newField(fields)])}
            >
              {say('add')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
