/** The logo and the colour that payers of this merchant see. */
import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, type FormEvent } from 'react'
import { call } from '../../api/call.ts'
import type { Brand } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { Note } from '../../ui/note.tsx'
import { useKept } from '../../ui/fields.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { IconUpload } from '../../ui/icons.ts'
import { notifyDone } from '../../ui/notify.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import classes from './brand.module.css'
import { BrandPreview } from './preview.tsx'
import { brandTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

const maxBytes = 2 * 1024 * 1024
const accepted = 'image/png,image/jpeg,image/webp'
/** What the picker shows before a colour is chosen: the service's own. */
const firstColor = '#0a6148'
const typingMs = 200

export default function BrandScreen() {
  const say = brandTexts.use()
  const { query } = useAccount()
  const isWritable = useCan()('business.write') === true
  const { data, error, refetch } = useAnswer('GET /v1/merchant/brand', { query })
  if (!data) return <UnreadScreen title={say('title')} text={say('text')} of={{ error, refetch }} placeholder={480} />
  const brand = data.data
  return (
    <Screen title={say('title')} text={say('text')}>
      {!brand.shown_on_live_pages && <Alert>{say('notLive')}</Alert>}
      {!isWritable && <Alert color="gray">{say('readOnly')}</Alert>}
      <Section title={say('logo')}>
        <LogoForm brand={brand} isWritable={isWritable} />
      </Section>
      <Section title={say('color')}>
        <ColorForm key={brand.color} brand={brand} isWritable={isWritable} />
      </Section>
    </Screen>
  )
}

async function base64Of(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')))
    reader.readAsDataURL(file)
  })
  return url.slice(url.indexOf(',') + 1)
}

type Part = { brand: Brand; isWritable: boolean }

function LogoForm({ brand: { logo, removal }, isWritable }: Part) {
  const say = brandTexts.use()
  const { query } = useAccount()
  const client = useQueryClient()
  const chosen = useRef<File>(undefined)
  const picker = useRef<HTMLInputElement>(null)
  const form = useForm({
    check: (): Record<string, string> => ((chosen.current?.size ?? 0) > maxBytes ? { image: say('tooLarge') } : {}),
    send: async () => {
      const file = chosen.current
      if (file) await call('PUT /v1/merchant/brand/logo', { query, body: { image: await base64Of(file) } })
      else await call('DELETE /v1/merchant/brand/logo', { query })
      await client.invalidateQueries()
      notifyDone(say(file ? 'logoSaved' : 'logoRemoved'))
    },
  })
  const send = (file: File | undefined): void => {
    chosen.current = file
    form.submit()
  }
  return (
    <Form of={form}>
      {removal && !logo && <Alert color="red">{say('removedByUs', { reason: removal.reason })}</Alert>}
      {logo ? (
        <img className={classes['logo']} src={logo.data_url} width={logo.width} height={logo.height} alt={say('current')} />
      ) : (
        <Text>{say('noLogo')}</Text>
      )}
      {isWritable && (
        <>
          <Note>{say('logoHint')}</Note>
          <Group>
            <Button
              variant="default"
              leftSection={<IconUpload size={16} aria-hidden />}
              loading={form.isBusy}
              onClick={() => picker.current?.click()}
            >
              {say(logo ? 'replace' : 'choose')}
            </Button>
            {logo && (
              <Button variant="subtle" color="red" disabled={form.isBusy} onClick={() => send(undefined)}>
                {say('remove')}
              </Button>
            )}
          </Group>
          <input
            ref={picker}
            type="file"
            hidden
            accept={accepted}
            aria-label={say('choose')}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              // The same file may be chosen again after a correction.
              event.currentTarget.value = ''
              if (file) send(file)
            }}
          />
        </>
      )}
    </Form>
  )
}

const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

function ColorForm({ brand, isWritable }: Part) {
  const say = brandTexts.use()
  const { query } = useAccount()
  const client = useQueryClient()
  const typed = useKept({ color: brand.color ?? '' })
  const color = typed.value.color.trim()
  const [asked] = useDebouncedValue(color.toLowerCase(), typingMs)
  const { data: tried } = useQuery({
    queryKey: ['shades of a colour', query, asked],
    queryFn: ({ signal }) => call('GET /v1/merchant/brand/shades', { query: { ...query, color: asked }, signal }),
    enabled: isColor(asked) && asked !== brand.color,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })
  const isRemoving = useRef(false)
  const form = useForm({
    kept: typed,
    check: (): Record<string, string> => (isRemoving.current || isColor(color) ? {} : { color: say('wrongColor') }),
    send: async () => {
      await call('PUT /v1/merchant/brand/color', { query, body: { color: isRemoving.current ? null : color } })
      await client.invalidateQueries()
      notifyDone(say(isRemoving.current ? 'colorRemoved' : 'colorSaved'))
    },
  })
  const submit = (removes: boolean): void => {
    isRemoving.current = removes
    form.submit()
  }
  const saving = {
    ...form,
    submit: (event?: FormEvent): void => {
      event?.preventDefault()
      submit(false)
    },
  }
  const shades = asked === brand.color || !isColor(asked) ? brand.shades : (tried?.data ?? brand.shades)
  return (
    <Form of={saving}>
      {isWritable && (
        <>
          <Group align="end" gap="xs" wrap="nowrap">
            <input
              type="color"
              className={classes['picker']}
              aria-label={say('pick')}
              value={isColor(color) ? color.toLowerCase() : firstColor}
              onChange={form.field('color').onChange}
            />
            <TextInput
              label={say('colorCode')}
              placeholder={firstColor}
              maxLength={7}
              autoComplete="off"
              spellCheck={false}
              {...form.field('color')}
            />
          </Group>
          <Note>{say('colorHint')}</Note>
        </>
      )}
      <BrandPreview brand={brand} shades={shades} />
      {isWritable && (
        <Group>
          <Button type="submit" loading={form.isBusy}>
            {say('save')}
          </Button>
          {brand.color !== null && (
            <Button variant="subtle" disabled={form.isBusy} onClick={() => submit(true)}>
              {say('noColor')}
            </Button>
          )}
        </Group>
      )}
    </Form>
  )
}
