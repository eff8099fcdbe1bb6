/** Creates a key and shows its value once. */
import { Alert, Checkbox, Stack, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '../../ui/icons.ts'
import type { App, Key } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { lastSecondOf, today } from '../../ui/days.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { optional } from '../../ui/texts.ts'
import { useCan } from '../membership.ts'
import { AddressesField, addressesIn, KeyNameField, keyProblems, keyProblemText } from './key-fields.tsx'
import { KeyValueDialog } from './key-value-dialog.tsx'
import { appTexts, scopeTexts } from './texts.ts'

type Scope = Key['scopes'][number]

const scopes = Object.keys(scopeTexts) as Scope[]

/** The scopes that most programs need; payouts are never included. */
const usualScopes: readonly Scope[] = [
  'pages:read',
  'pages:write',
  'payments:read',
  'payments:write',
  'transactions:read',
  'balance:read',
]

type Props = { app: App; isOpen: boolean; onClose(): void }

export function CreateKey({ app, isOpen, onClose }: Props) {
  const say = appTexts.use()
  return (
    <KeyValueDialog
      title={say('createKey')}
      isOpen={isOpen}
      onClose={onClose}
      form={(parts) => <Fields app={app} {...parts} />}
    />
  )
}

function Fields({ app, onClose, onMade }: { app: App; onClose(): void; onMade(value: string): void }) {
  const say = appTexts.use()
  const create = useAction('POST /developers/keys', ['GET /developers/keys'])
  const mayPayOut = useCan()('payout-keys.write', app.environment)
  const offered = scopes.filter((scope) => scope !== 'payouts:write' || mayPayOut)
  const form = useForm({
    fields: { key_name: '', scopes: [...usualScopes] as string[], allowed_ips: '', expires_at: '' },
    required: ['key_name'],
    check: (values): Problems => (values.scopes.length === 0 ? { scopes: say('someScope') } : {}),
    send: async ({ key_name, scopes: chosen, allowed_ips: addresses, expires_at: lastDay }) => {
      const body = {
        app_id: app.id,
        key_name,
        scopes: scopes.filter((scope) => chosen.includes(scope)),
        allowed_ips: addressesIn(addresses),
        expires_at: lastDay === '' ? null : lastSecondOf(lastDay),
      }
      onMade((await create.mutateAsync({ body })).data.key)
    },
    problemsOf: keyProblems,
    textOf: keyProblemText,
  })
  return (
    <Form of={form}>
      <KeyNameField {...form.field('key_name')} />
      <Checkbox.Group label={say('scopes')} {...form.control('scopes')}>
        <Stack gap="xs" pt={6}>
          {offered.map((scope) => (
            <Checkbox key={scope} value={scope} label={say(`scope.${scope}`)} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <AddressesField {...form.field('allowed_ips')} />
      <TextInput
        type="date"
        label={optional(say('lastDay'))}
        description={say('lastDayHint')}
        min={today()}
        {...form.field('expires_at')}
      />
      {form.values.scopes.includes('payouts:write') && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          {say('moneyOut')}
        </Alert>
      )}
      <DialogButtons of={form} onCancel={onClose} action={say('createKey')} />
    </Form>
  )
}
