/** A field for whole shillings: figures only, grouped by thousands when one looks away from it. */
import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { useLanguage } from '../i18n/define-texts.ts'
import { count } from './format.ts'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'type'> & {
  /** Undefined: nothing is typed. */
  value: number | undefined
  onChange(value: number | undefined): void
}

/** More figures than this are no amount that any network moves. */
const mostFigures = 12

export function AmountInput({ value, onChange, onFocus, onBlur, ...rest }: Props) {
  const language = useLanguage()
  const [isFocused, setIsFocused] = useState(false)
  const shown = value === undefined ? '' : isFocused ? String(value) : count(value, language)
  return (
    <TextInput
      leftSection="TSh"
      leftSectionWidth={48}
      inputMode="numeric"
      autoComplete="off"
      {...rest}
      classNames={{ input: 'figures' }}
      value={shown}
      onChange={({ currentTarget }) => {
        const figures = currentTarget.value.replace(/\D/g, '').slice(0, mostFigures)
        onChange(figures === '' ? undefined : Number(figures))
      }}
      onFocus={(event) => {
        setIsFocused(true)
        onFocus?.(event)
      }}
      onBlur={(event) => {
        setIsFocused(false)
        onBlur?.(event)
      }}
    />
  )
}
