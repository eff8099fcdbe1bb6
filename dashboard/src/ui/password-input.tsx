/** Mantine's field for a password, which does not mark its input as wrong. */
import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from '@mantine/core'

export function PasswordInput(props: PasswordInputProps) {
  return <MantinePasswordInput {...props} aria-invalid={props.error ? true : undefined} />
}
