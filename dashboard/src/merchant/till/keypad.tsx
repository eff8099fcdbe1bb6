/** Large keys for digits, for a finger at a counter. */
import { Button } from '@mantine/core'
import { IconBackspace } from '../../ui/icons.ts'
import { tillTexts } from './texts.ts'
import classes from './till.module.css'

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '000', '0'] as const

export function Keypad({ value, onChange }: { value: string; onChange(next: string): void }) {
  const say = tillTexts.use()
  return (
    <div className={classes['keys']} role="group" aria-label={say('digit')}>
      {keys.map((key) => (
        <Button key={key} variant="default" className={classes['key']!} onClick={() => onChange(`${value}${key}`)}>
          {key}
        </Button>
      ))}
      <Button
        variant="default"
        className={classes['key']!}
        aria-label={say('delete')}
        disabled={value === ''}
        onClick={() => onChange(value.slice(0, -1))}
      >
        <IconBackspace size={24} aria-hidden />
      </Button>
    </div>
  )
}
