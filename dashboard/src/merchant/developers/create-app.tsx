/** Creates an app for this wallet, by default in the current environment. */
import { Modal, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../api/queries.ts'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { Form, needed, useForm } from '../../ui/form.tsx'
import { shared } from '../../ui/texts.ts'
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
  const sayShared = shared.use()
  const { owner, environment } = useAccount()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [where, setWhere] = useState<Environment>(environment)
  const create = useAction('POST /developers/apps', ['GET /developers/apps'])
  const form = useForm({
    check: () => needed({ name }),
    send: async () => {
      const body = { name, description: description || null, business_id: owner === 'me' ? null : owner, environment: where }
      const { data } = await create.mutateAsync({ body })
      await navigate({
        to: '/$owner/$environment/developers/apps/$appId',
        params: { owner, environment: where, appId: data.id },
      })
    },
  })
  const { problems } = form

  return (
    <Form of={form}>
      <TextInput
        label={say('name')}
        description={say('nameHint')}
        required
        withAsterisk={false}
        maxLength={120}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problems['name']}
      />
      <Textarea
        label={`${say('description')} (${sayShared('optional')})`}
        autosize
        minRows={2}
        maxLength={1000}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={problems['description']}
      />
      <Radio.Group label={say('where')} value={where} onChange={(value) => setWhere(value as Environment)}>
        <Stack gap="xs" pt={6}>
          <Radio value="test" label={say('test')} />
          <Radio value="live" label={say('live')} />
        </Stack>
      </Radio.Group>
      <Text size="sm" c="dimmed">
        {say('forGood')}
      </Text>
      <DialogButtons of={form} onCancel={onClose} action={say('create')} />
    </Form>
  )
}
