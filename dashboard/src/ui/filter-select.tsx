/** A part of a filter: one of some values, or any. */
import { NativeSelect, type NativeSelectProps } from '@mantine/core'

type Option<Value> = readonly [value: Value, label: string]

type Props<Value extends string> = Pick<NativeSelectProps, 'label' | 'size' | 'aria-label'> & {
  /** The label of no choice. */
  any: string
  /** In their order. What the address contains is offered also if it is unknown here. */
  options: readonly Option<Value>[]
  value: Value | undefined
  /** Undefined: any. */
  onChoose(value: Value | undefined): void
}

export function FilterSelect<Value extends string>({ any, options, value, onChoose, ...field }: Props<Value>) {
  const isKnown = value === undefined || options.some(([one]) => one === value)
  const offered: readonly Option<string>[] = [['', any], ...options, ...(isKnown ? [] : [[value, value] as const])]
  return (
    <NativeSelect
      {...field}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChoose((currentTarget.value || undefined) as Value | undefined)}
      data={offered.map(([one, label]) => ({ value: one, label }))}
    />
  )
}
