/** Creates or changes a payment page, with a preview for payers beside it. */
import { Alert, Button, Group, Skeleton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { PaymentPage } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { problemText } from '../../ui/problem-text.ts'
import { Screen } from '../../ui/screen.tsx'
import { shared } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { draftOf, emptyDraft, newPageOf, settingsOf, type Draft } from './draft.ts'
import { EditorFields } from './editor-form.tsx'
import classes from './page-editor.module.css'
import { problemsOf } from './problems.ts'
import { Preview } from './preview.tsx'
import { editPageRoute } from '../routes.ts'
import { editorTexts } from './texts.ts'

type Saving = { isPending: boolean; error: Error | null; save(draft: Draft, onSaved: (page: PaymentPage) => void): void }

function Editor({ first, saving, page }: { first: Draft; saving: Saving; page?: PaymentPage }) {
  const say = editorTexts.use()
  const sayShared = shared.use()
  const navigate = useNavigate({ from: '/$owner/$environment' })
  const [draft, setDraft] = useState(first)
  const problems = problemsOf(saving.error, say)
  const isNew = page === undefined
  return (
    <div className={classes['columns']}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          saving.save(draft, ({ id }) => {
            notifyDone(say(isNew ? 'made' : 'changed'))
            void navigate({ to: './pages/$page', params: { page: id } as never })
          })
        }}
      >
        {saving.error && (
          <Alert color="red" role="alert" mb="md">
            {Object.keys(problems).length > 0 ? say('problem.some') : problemText(saving.error)}
          </Alert>
        )}
        <EditorFields
          draft={draft}
          onChange={(changes) => setDraft((now) => ({ ...now, ...changes }))}
          problems={problems}
          isNew={isNew}
        />
        <Group mt="lg">
          <Button type="submit" size="md" loading={saving.isPending}>
            {say(isNew ? 'make' : 'save')}
          </Button>
          <LinkButton from="/$owner/$environment" to="./pages" variant="default" size="md">
            {sayShared('cancel')}
          </LinkButton>
        </Group>
      </form>
      <Preview draft={draft} />
    </div>
  )
}

export function NewPageScreen() {
  const say = editorTexts.use()
  const may = useMay('pages')
  const { query } = useAccount()
  const { mutate, isPending, error } = useAction('POST /v1/merchant/payment-pages')
  const save: Saving['save'] = (draft, onSaved) =>
    mutate({ query, body: newPageOf(draft) }, { onSuccess: ({ data }) => onSaved(data) })
  return (
    <Screen
      title={say('new')}
      back={
        <BackLink from="/$owner/$environment" to="./pages">
          {say('back')}
        </BackLink>
      }
    >
      {may === undefined && <Skeleton h={420} />}
      <Barred what="pages" />
      {may && <Editor first={emptyDraft} saving={{ isPending, error, save }} />}
    </Screen>
  )
}

export function EditPageScreen() {
  const say = editorTexts.use()
  const may = useMay('pages')
  const { page: name } = editPageRoute.useParams()
  const { query } = useAccount()
  const {
    data,
    error: readError,
    refetch,
  } = useAnswer('GET /v1/merchant/payment-pages/{id_or_slug}', { params: { id_or_slug: name }, query })
  const { mutate, isPending, error } = useAction('PATCH /v1/merchant/payment-pages/{id_or_slug}')
  const save: Saving['save'] = (draft, onSaved) =>
    mutate(
      { params: { id_or_slug: name }, query, body: settingsOf(draft) },
      { onSuccess: ({ data: changed }) => onSaved(changed) },
    )
  return (
    <Screen
      title={say('edit')}
      text={data?.data.title}
      back={
        <BackLink from="/$owner/$environment" to="./pages/$page" params={{ page: name }}>
          {say('backToPage')}
        </BackLink>
      }
    >
      <Barred what="pages" />
      {may === false ? undefined : data && may ? (
        <Editor key={data.data.id} first={draftOf(data.data)} saving={{ isPending, error, save }} page={data.data} />
      ) : readError ? (
        <ErrorState error={readError} onRetry={refetch} />
      ) : (
        <Skeleton h={420} />
      )}
    </Screen>
  )
}
