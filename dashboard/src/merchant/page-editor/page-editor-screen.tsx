/** Creates or changes a payment page, with a preview for payers beside it. */
import { BackLink, LinkButton } from '../links.tsx'
import { Button, Group, Skeleton } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { PaymentPage } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { notifyDone } from '../../ui/notify.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { Screen } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { changedSettings, draftOf, emptyDraft, newPageOf, type Draft } from './draft.ts'
import { EditorFields } from './editor-form.tsx'
import classes from './page-editor.module.css'
import { problemsOf } from './problems.ts'
import { Preview } from './preview.tsx'
import { editorTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

type Save = (draft: Draft, first: Draft) => Promise<{ data: PaymentPage }>

function Editor({ first, save, page }: { first: Draft; save: Save; page?: PaymentPage }) {
  const say = editorTexts.use()
  const navigate = useNavigate({ from: '/$owner/$environment' })
  const isNew = page === undefined
  // What the person saw first, also if the page is read again meanwhile.
  const [seen] = useState(first)
  const form = useForm({
    fields: seen,
    send: async (draft) => {
      const { data } = await save(draft, seen)
      notifyDone(say(isNew ? 'made' : 'changed'))
      void navigate({ to: './pages/$page', params: { page: data.id } as never })
    },
    problemsOf: (error) => problemsOf(error, say),
  })
  return (
    <div className={classes['columns']}>
      <Form of={form}>
        <EditorFields form={form} isNew={isNew} />
        <Group mt="xs">
          <Button type="submit" size="md" loading={form.isBusy}>
            {say(isNew ? 'make' : 'save')}
          </Button>
          <LinkButton to="./pages" variant="default" size="md">
            {say('cancel')}
          </LinkButton>
        </Group>
      </Form>
      <Preview draft={form.values} />
    </div>
  )
}

export function NewPageScreen() {
  const say = editorTexts.use()
  const may = useMay('pages')
  const { query } = useAccount()
  const { mutateAsync } = useAction('POST /v1/merchant/payment-pages')
  return (
    <Screen title={say('new')} back={<BackLink to="./pages">{say('back')}</BackLink>}>
      {may === undefined && <Skeleton h={420} />}
      <Barred what="pages" />
      {may && <Editor first={emptyDraft} save={(draft) => mutateAsync({ query, body: newPageOf(draft) })} />}
    </Screen>
  )
}

export function EditPageScreen() {
  const say = editorTexts.use()
  const may = useMay('pages')
  const { page: name } = useParams({ from: '/signed-in/$owner/$environment/pages/$page/edit' })
  const { query } = useAccount()
  const {
    data,
    error: readError,
    refetch,
  } = useAnswer('GET /v1/merchant/payment-pages/{id_or_slug}', { params: { id_or_slug: name }, query })
  const { mutateAsync } = useAction('PATCH /v1/merchant/payment-pages/{id_or_slug}')
  const save: Save = (draft, first) => mutateAsync({ params: { id_or_slug: name }, query, body: changedSettings(first, draft) })
  return (
    <Screen
      title={say('edit')}
      text={data?.data.title}
      back={
        <BackLink to="./pages/$page" params={{ page: name }}>
          {say('backToPage')}
        </BackLink>
      }
    >
      <Barred what="pages" />
      {may === false ? undefined : data && may ? (
        <Editor key={data.data.id} first={draftOf(data.data)} save={save} page={data.data} />
      ) : (
        <Unread of={{ error: readError, refetch: refetch }} placeholder={420} />
      )}
    </Screen>
  )
}
