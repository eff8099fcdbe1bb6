/** A field for whole shillings: digits only, grouped by thousands during typing. */
import { TextInput, type TextInputProps } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { useLanguage } from '../i18n/define-texts.ts'
import { figuresOf } from './figures-of.ts'
import { count } from './format.ts'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'type'> & {
  /** Undefined if empty. */
  value: number | undefined
  onChange(value: number | undefined): void
}

/** No network moves amounts with more digits. */
const mostFigures = 12

/** The position after this many digits of the text. */
function placeBehind(text: string, figures: number): number {
  let place = 0
  for (let passed = 0; passed < figures && place < text.length; place += 1) if (/\d/.test(text[place]!)) passed += 1
  return place
}

export function AmountInput({ value, onChange, ...rest }: Props) {
  const language = useLanguage()
  const field = useRef<HTMLInputElement>(null)
  /** The number of digits before the cursor: inserted or removed commas do not move it. */
  const figuresBefore = useRef<number>(undefined)
  const shown = value === undefined ? '' : count(value, language)
  useLayoutEffect(() => {
    if (figuresBefore.current === undefined) return
    const place = placeBehind(shown, figuresBefore.current)
    field.current?.setSelectionRange(place, place)
    figuresBefore.current = undefined
  })
  return (
    <TextInput
      leftSection="TSh"
      leftSectionWidth={48}
      inputMode="numeric"
      autoComplete="off"
      {...rest}
      ref={field}
      classNames={{ input: 'figures' }}
      value={shown}
      onChange={({ currentTarget }) => {
        const figures = figuresOf(currentTarget.value).slice(0, mostFigures)
        figuresBefore.current = figuresOf(currentTarget.value.slice(0, currentTarget.selectionStart ?? 0)).length
        onChange(figures === '' ? undefined : Number(figures))
      }}
    />
  )
}
