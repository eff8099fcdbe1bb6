/** One document: its purpose, its current or uploading file, and the ways to choose one. */
import { Badge, Button, Group, Modal, Progress, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Note } from '../../ui/note.tsx'
import { IconAlertTriangle, IconCamera, IconCircleCheck, IconFileText, IconUpload } from '../../ui/icons.ts'
import { useRef, useState } from 'react'
import type { Business, PersonalKyc } from '../../api/operations.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { megabytes, percent } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { problemText } from '../../ui/problem-text.ts'
import { acceptedTypes } from './check-file.ts'
import classes from './document-card.module.css'
import { useDropTarget } from '../../ui/drop-target.ts'
import { reasonIn, type ItemError } from './item-problems.ts'
import { refusedText } from './problems.ts'
import { SentCopy } from './sent-copy.tsx'
import { verificationTexts } from './texts.ts'
import { cancel, choose, mayPass, tryAgain, useTwin, useUpload, type Subject, type Upload } from './uploads.ts'

export type KeptDocument = (Business['documents'] | PersonalKyc['documents'])[number]

type Props = {
  subject: Subject
  document: KeptDocument
  /** Why the newest file was refused, by a reviewer or automatically. */
  error: ItemError | undefined
  onChanged(): void
}

export function DocumentCard({ subject, document, error, onChanged }: Props) {
  const say = verificationTexts.use()
  const language = useLanguage()
  const { purpose } = document
  const upload = useUpload(subject, purpose)
  const [isShown, setIsShown] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const pick = useRef<HTMLButtonElement>(null)
  const hasCamera = useMediaQuery('(pointer: coarse)')
  const name = say(`purpose.${purpose}`)
  const take = (files: readonly File[]): void => void choose(subject, purpose, files, onChanged)
  const { target, isOver } = useDropTarget<HTMLLIElement>(take)
  const state = upload?.state
  const isUploading = state?.kind === 'waiting' || state?.kind === 'sending' || state?.kind === 'checking'
  const mayTryAgain = state?.kind === 'failed' && mayPass(state.error)
  const isKept = document.status === 'uploaded'
  // The file of this tab is shown while it is the current one.
  const preview = state?.kind === 'done' && state.documentUrl !== document.document_url ? undefined : upload?.preview
  const leaveTo = (act: () => void): void => {
    act()
    // The clicked button disappears, so the focus must move.
    pick.current?.focus()
  }
  return (
    <li
      ref={target}
      className={classes['card']}
      data-missing={(!isKept && !upload) || undefined}
      data-over={isOver || undefined}
      data-wrong={reasonIn(language, error) !== undefined || undefined}
      data-purpose={purpose}
    >
      {preview === undefined ? (
        <div className={classes['picture']}>
          <IconFileText size={24} stroke={1.5} aria-hidden />
        </div>
      ) : (
        <button
          type="button"
          className={classes['picture']}
          onClick={() => setIsShown(true)}
          aria-label={say('lookAt', { name })}
        >
          {upload?.type === 'application/pdf' ? (
            <IconFileText size={24} stroke={1.5} aria-hidden />
          ) : (
            <img src={preview} alt="" />
          )}
        </button>
      )}
      <Stack gap={2} miw={0}>
        <Text fw={600} id={`document-${purpose}`}>
          {name}
        </Text>
        <Note>{say(`hint.${purpose}`)}</Note>
        <div id={`state-${purpose}`}>
          <CardState document={document} upload={upload} error={error} subject={subject} />
        </div>
      </Stack>
      <Group gap="xs" className={classes['actions']!}>
        {isUploading && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => leaveTo(() => cancel(subject, purpose))}
            aria-label={`${say('cancel')}: ${name}`}
          >
            {say('cancel')}
          </Button>
        )}
        {mayTryAgain && (
          <Button onClick={() => leaveTo(() => tryAgain(subject, purpose))} aria-label={`${say('tryAgain')}: ${name}`}>
            {say('tryAgain')}
          </Button>
        )}
        {hasCamera && (
          <Button
            variant={isKept ? 'default' : 'filled'}
            leftSection={<IconCamera size={16} aria-hidden />}
            onClick={() => camera.current?.click()}
            aria-label={`${say('takePhoto')}: ${name}`}
          >
            {say('takePhoto')}
          </Button>
        )}
        <Button
          ref={pick}
          variant="default"
          leftSection={<IconUpload size={16} aria-hidden />}
          onClick={() => picker.current?.click()}
          aria-label={`${say(isKept || upload ? 'replace' : 'chooseFile')}: ${name}`}
          aria-describedby={`state-${purpose}`}
        >
          {say(isKept || upload ? 'replace' : 'chooseFile')}
        </Button>
      </Group>
      <FileField field={picker} onTake={take} label={name} />
      <FileField field={camera} onTake={take} label={name} capture={purpose === 'selfie' ? 'user' : 'environment'} />
      <Modal opened={isShown && preview !== undefined} onClose={() => setIsShown(false)} title={name} size="xl">
        {upload?.type === 'application/pdf' ? (
          <Stack>
            <iframe src={preview} title={name} className={classes['pdf']} />
            <a href={preview} target="_blank" rel="noreferrer">
              {say('openAlone')}
            </a>
          </Stack>
        ) : (
          <img src={preview} alt={name} className={classes['whole']} />
        )}
      </Modal>
    </li>
  )
}

type FieldProps = {
  field: React.RefObject<HTMLInputElement | null>
  onTake(files: readonly File[]): void
  label: string
  /** Opens the camera of a phone: the rear camera, or the front camera for a selfie. */
  capture?: 'user' | 'environment'
}

/** Opened by the buttons; it has no visible part. */
function FileField({ field, onTake, label, capture }: FieldProps) {
  return (
    <input
      ref={field}
      type="file"
      className={classes['hidden']}
      aria-label={label}
      accept={capture ? 'image/jpeg' : acceptedTypes}
      {...(capture && { capture })}
      onChange={(event) => {
        onTake([...(event.currentTarget.files ?? [])])
        // The same file may be chosen again after a correction.
        event.currentTarget.value = ''
      }}
    />
  )
}

function Problem({ children }: { children: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="start" role="alert">
      <IconAlertTriangle size={16} color="var(--mantine-color-error)" className={classes['sign']} aria-hidden />
      <Text size="sm" c="var(--mantine-color-error)">
        {children}
      </Text>
    </Group>
  )
}

type StateProps = { subject: Subject; document: KeptDocument; upload: Upload | undefined; error: ItemError | undefined }

function CardState({ subject, document, upload, error }: StateProps) {
  const say = verificationTexts.use()
  const language = useLanguage()
  const twin = useTwin(subject, document.purpose)
  const state = upload?.state
  switch (state?.kind) {
    case 'waiting':
    case 'sending':
    case 'checking': {
      const share = state.kind === 'sending' ? state.share : state.kind === 'checking' ? 1 : 0
      return (
        <Stack gap={4} mt={4}>
          <Text size="sm" className={classes['file']!}>
            {upload!.name} · {megabytes(upload!.size, language)}
          </Text>
          <Progress value={share * 100} aria-label={say(`upload.${state.kind}`)} animated={state.kind === 'checking'} />
          <Note className="figures">
            {say(`upload.${state.kind}`)} {state.kind === 'sending' && percent(Math.round(share * 100) / 100, language)}
          </Note>
          <VisuallyHidden role="status">{say(`upload.${state.kind}`)}</VisuallyHidden>
        </Stack>
      )
    }
    case 'unfit':
      return (
        <Problem>
          {say(`unfit.${state.problem}`, { name: upload!.name, most: megabytes(state.mostBytes ?? 0, language) })}
        </Problem>
      )
    case 'failed':
      return <Problem>{refusedText(state.error, say) ?? problemText(state.error)}</Problem>
    case 'done':
    case undefined:
      break
  }
  const found = reasonIn(language, error)
  if (error && found === undefined) return <Problem>{refusedText(error.code, say) ?? say('refused.other')}</Problem>
  if (document.unreadable) return <Problem>{say('refused.document_unreadable')}</Problem>
  if (document.status !== 'uploaded') return null
  const fileName = upload?.name ?? document.file_name
  return (
    <Stack gap={2} mt={2}>
      {found !== undefined && <Problem>{found}</Problem>}
      <Group gap={6} role="status">
        <Badge color={found === undefined ? 'green' : 'gray'} leftSection={<IconCircleCheck size={13} aria-hidden stroke={2} />}>
          {say('uploaded')}
        </Badge>
        {document.uploaded_at !== null && (
          <Text size="sm" c="dimmed" span>
            <Moment at={document.uploaded_at} />
          </Text>
        )}
      </Group>
      {fileName !== null && (
        <Text size="sm" c="dimmed" className={classes['file']!}>
          {fileName}
        </Text>
      )}
      {!upload && <SentCopy subject={subject} purpose={document.purpose} />}
      {twin && <Text size="sm">{say('sameAs', { name: say(`purpose.${twin}`) })}</Text>}
    </Stack>
  )
}
