/** The steps of a long form: the current one, the finished ones, and links to those that can be opened. */
import { VisuallyHidden } from '@mantine/core'
import { IconCheck } from './icons.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import classes from './steps.module.css'

const texts = defineTexts('steps', {
  done: ['done', 'imekamilika'],
})

export type Step<Key extends string> = { key: Key; name: string; isDone: boolean; isClosed?: boolean }

type Props<Key extends string> = {
  label: string
  steps: readonly Step<Key>[]
  current: Key
  onGo(key: Key): void
}

export function Steps<Key extends string>({ label, steps, current, onGo }: Props<Key>) {
  const say = texts.use()
  return (
    <ol className={classes['steps']} aria-label={label}>
      {steps.map(({ key, name, isDone, isClosed = false }, place) => {
        const isCurrent = key === current
        return (
          <li key={key}>
            <button
              type="button"
              className={classes['step']}
              aria-current={isCurrent ? 'step' : undefined}
              data-done={(isDone && !isCurrent) || undefined}
              disabled={isClosed}
              onClick={() => onGo(key)}
            >
              <span className={classes['sign']} aria-hidden>
                {isDone && !isCurrent ? <IconCheck size={15} stroke={2.4} /> : place + 1}
              </span>
              <span className={isCurrent ? undefined : 'unseen-on-phone'}>{name}</span>
              {isDone && !isCurrent && <VisuallyHidden>({say('done')})</VisuallyHidden>}
            </button>
          </li>
        )
      })}
    </ol>
  )
}
