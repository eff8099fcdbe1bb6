/** One field for a code, so that it can be pasted, filled in by the phone, and read out as one value. */
import { TextInput } from '@mantine/core'

type Props = {
  label: string
  description?: string
  value: string
  onChange(value: string): void
  error?: string | undefined
  /** A longer code, from a mail or a list of recovery codes. */
  isText?: boolean
  /** The main field of its screen: it has the focus at once. */
  isFirst?: boolean
}

export function CodeInput({ label, description, value, onChange, error, isText = false, isFirst = false }: Props) {
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      // A mail may show six digits in two groups, with a space or dash of any kind, and a copy has marks that cannot be seen.
      onChange={({ currentTarget: { value: typed } }) =>
        onChange(isText ? typed.trim() : typed.replaceAll(/[^\p{L}\p{N}]/gu, ''))
      }
      error={error}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      inputMode={isText ? 'text' : 'numeric'}
      autoFocus={isFirst}
      data-autofocus
      classNames={{ input: 'figures' }}
    />
  )
}
