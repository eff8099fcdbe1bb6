/** Which events a webhook receives: the usual one, all, or those of a list. */
import { Checkbox, Radio, Stack } from '@mantine/core'
import { appTexts } from './texts.ts'
import { eventGroups, eventsIn, type EventChoice } from './event-types.ts'

/** What a new webhook receives, and no webhook can leave out. */
const always = 'payment.completed'
const usual: readonly EventChoice[] = [always]

const kinds = ['usual', 'all', 'some'] as const
type Kind = (typeof kinds)[number]

export type Choice = { kind: Kind; some: readonly EventChoice[] }

export function choiceOf(events: readonly EventChoice[] = usual): Choice {
  if (events.includes('*')) return { kind: 'all', some: usual }
  return { kind: events.join() === usual.join() ? 'usual' : 'some', some: events }
}

export function eventsOf({ kind, some }: Choice): EventChoice[] {
  return kind === 'all' ? ['*'] : [...(kind === 'usual' ? usual : some)]
}

type Props = { value: Choice; onChange(choice: Choice): void; error: string | undefined }

export function EventChoiceField({ value: choice, onChange, error }: Props) {
  const say = appTexts.use()
  return (
    <Stack gap="sm">
      <Radio.Group
        label={say('events')}
        value={choice.kind}
        onChange={(kind) => onChange({ ...choice, kind: kind as Kind })}
        error={error}
      >
        <Stack gap="xs" pt={6}>
          {kinds.map((kind) => (
            <Radio key={kind} value={kind} label={say(`choice.${kind}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {choice.kind === 'some' &&
        eventGroups.map((group) => {
          const offered: EventChoice[] = eventsIn(group)
          return (
            <Checkbox.Group
              key={group}
              label={say(`group.${group}`)}
              value={offered.filter((type) => choice.some.includes(type))}
              onChange={(chosen) =>
                // Of the other groups, and of types that this form does not offer, the choice stays.
                onChange({
                  ...choice,
                  some: [...choice.some.filter((type) => !offered.includes(type)), ...(chosen as EventChoice[])],
                })
              }
            >
              <Stack gap="xs" pt={6}>
                {eventsIn(group).map((type) => (
                  <Checkbox
                    key={type}
                    value={type}
                    disabled={type === always}
                    label={say(`meaning.${type}`)}
                    description={type}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
          )
        })}
    </Stack>
  )
}
