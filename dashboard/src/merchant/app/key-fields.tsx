/** The shared fields of creating and changing a key. */
import { Textarea, TextInput } from '@mantine/core'
import { isUnsure } from '../../api/api-error.ts'
import type { BoundText } from '../../ui/fields.ts'
import type { Problems } from '../../ui/form.tsx'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { optional } from '../../ui/texts.ts'
import { appTexts } from './texts.ts'

/** One address or network per line, as typed. */
export function addressesIn(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((address) => address.trim())
    .filter((address) => address !== '')
}

export function KeyNameField(bound: BoundText) {
  const say = appTexts.use()
  return (
    <TextInput
      label={say('keyName')}
      description={say('keyNameHint')}
      maxLength={120}
      autoComplete="off"
      data-autofocus
      {...bound}
    />
  )
}

export function AddressesField(bound: BoundText) {
  const say = appTexts.use()
  return (
    <Textarea
      label={optional(say('addresses'))}
      description={say('addressesHint')}
      autosize
      minRows={2}
      spellCheck={false}
      classNames={{ input: 'code' }}
      {...bound}
    />
  )
}

/** The errors of the fields; one of the list of addresses from any of its lines. */
export function keyProblems(error: unknown): Problems {
  return Object.fromEntries(
    Object.entries(fieldProblems(error)).map(([field, text]) => [field.startsWith('allowed_ips') ? 'allowed_ips' : field, text]),
  )
}

/** The error of creating or rolling a key as a whole. If the answer was lost, a created key is unusable: its value is unknown. */
export function keyProblemText(error: unknown): string {
  return isUnsure(error) ? `${problemText(error)} ${appTexts.say('maybeMade')}` : problemText(error)
}
