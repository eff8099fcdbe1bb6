/** Creates an app for this wallet, by default in the current environment. */
import { Modal, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useAction } from '../../api/queries.ts'
import { Note } from '../../ui/note.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { optional } from '../../ui/texts.ts'
import { useAccount, type Environment } from '../account.ts'
import { developersTexts } from './texts.ts'

type Props = { isOpen: boolean; onClose(): void }

export function CreateApp({ isOpen, onClose }: Props) {
  const say = developersTexts.use()
  return (
    <Modal opened={isOpen} onClose={onClose} title={say('create')}>
      {isOpen && <Fields onClose={onClose} />}
    </Modal>
  )
}

function Fields({ onClose }: Pick<Props, 'onClose'>) {
  const say = developersTexts.use()
  const { owner, environment } = useAccount()
  const navigate = useNavigate()
  const create = useAction('POST /developers/apps', ['GET /developers/apps'])
  const form = useForm({
    fields: { name: '', description: '', environment },
    required: ['name'],
    send: async (values) => {
      const body = { ...values, description: values.description || null, business_id: owner === 'me' ? null : owner }
      const { data } = await create.mutateAsync({ body })
      await navigate({
        to: '/$owner/$environment/developers/apps/$appId',
        params: { owner, environment: values.environment, appId: data.id },
      })
    },
  })
  return (
    <Form of={form}>
      <TextInput
        label={say('name')}
        description={say('nameHint')}
        maxLength={120}
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
      <Textarea label={optional(say('description'))} autosize minRows={2} maxLength={1000} {...form.field('description')} />
      <Radio.Group
        label={say('where')}
        value={form.values.environment}
        onChange={(value) => form.change({ environment: value as Environment })}
      >
        <Stack gap="xs" pt={6}>
          <Radio value="test" label={say('test')} />
          <Radio value="live" label={say('live')} />
        </Stack>
      </Radio.Group>
      <Note>{say('forGood')}</Note>
      <DialogButtons of={form} onCancel={onClose} action={say('create')} />
    </Form>
  )
}
