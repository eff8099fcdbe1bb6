/** The payers' view of the page: the checkout's own form, rendered by the service during editing, without any function. */
import { Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { Note } from '../../ui/note.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { nonce } from '../../ui/nonce.ts'
import { useAccount } from '../account.ts'
import { completeFields } from './custom-fields.ts'
import { settingsOf, type Draft } from './draft.ts'
import classes from './page-editor.module.css'
import { editorTexts } from './texts.ts'

const typingMs = 200

/**
 * The frame is under the policy of this page, which allows the form's style only with our nonce. It runs no script, and its links and
 * its button do nothing.
 */
function asPicture(html: string): string {
  return html.replaceAll('<style>', `<style nonce="${nonce}">`).replace('<style', '<base target="_blank"><style')
}

export function Preview({ draft }: { draft: Draft }) {
  const say = editorTexts.use()
  const { query } = useAccount()
  const [language, setLanguage] = useState<'sw' | 'en'>(useLanguage())
  const [typed] = useDebouncedValue(draft, typingMs)
  const { title, custom_fields: fields = [], ...settings } = settingsOf(typed)
  const body = { ...settings, custom_fields: completeFields(fields), title: title === '' ? say('titleExample') : title }
  const { data, error, refetch } = useQuery({
    queryKey: ['preview of a page', query, body],
    queryFn: ({ signal }) => call('POST /v1/merchant/payment-pages/preview', { query, body, signal }),
    placeholderData: keepPreviousData,
    // A half-typed value may be invalid; the preview is requested again after a change.
    retry: false,
    staleTime: Infinity,
  })
  return (
    <Stack gap="xs" component="section" aria-label={say('preview')} className={classes['preview']}>
      <Group justify="space-between">
        <Title order={2}>{say('preview')}</Title>
        <SegmentedControl
          size="xs"
          aria-label={say('previewLanguage')}
          value={language}
          onChange={(value) => setLanguage(value as 'sw' | 'en')}
          data={[
            { value: 'sw', label: 'Kiswahili' },
            { value: 'en', label: 'English' },
          ]}
        />
      </Group>
      {error && !data ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <div className={classes['phone']}>
          {data && (
            <iframe
              title={say('preview')}
              sandbox=""
              srcDoc={asPicture(data.data[language])}
              className={classes['picture']}
              tabIndex={-1}
            />
          )}
        </div>
      )}
      <Note size="xs">{say('previewText')}</Note>
    </Stack>
  )
}
