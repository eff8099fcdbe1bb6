/** The documents of a case: a description, a copy to view, a mark for checked ones, and the list of viewers. */
import { operatorTexts } from '../operator-texts.ts'
import { ActionIcon, Badge, Button, Checkbox, Group, Loader, Paper, Stack, Text, Title, Tooltip } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconFileSearch, IconRefresh, IconRotateClockwise, IconZoomIn, IconZoomOut } from '../../ui/icons.ts'
import { useEffect, useRef, useState } from 'react'
import { call, fetchDocument } from '../../api/call.ts'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Actor } from '../me.tsx'
import { type Purpose } from '../operator-texts.ts'
import classes from './documents.module.css'
import type { CaseKind, PinnedDocument } from './read-case.ts'
import { reviewTexts } from './texts.ts'
import { Problem } from '../../ui/form.tsx'

type View =
  | { kind: 'none' }
  | { kind: 'coming'; id: string }
  | { kind: 'shown'; id: string; address: string }
  | { kind: 'failed'; id: string; error: unknown }

export type Opened = { required: boolean; isOpened(id: string): boolean }

type Props = {
  opened: Opened | undefined
  onOpened(): void
  caseId: string
  kind: CaseKind
  documents: readonly PinnedDocument[]
  checked: readonly string[]
  onCheck(id: string, isChecked: boolean): void
}

async function openCopy(caseId: string, kind: CaseKind, purpose: string): Promise<Blob> {
  const { data } =
    kind === 'person'
      ? await call('POST /v1/admin/kyc/{user_id}/documents/{purpose}/view', { params: { user_id: caseId, purpose } })
      : await call('POST /v1/admin/businesses/{business_id}/documents/{purpose}/view', {
          params: { business_id: caseId, purpose },
        })
  return fetchDocument(data.view_url)
}

export function Documents({ opened, onOpened, caseId, kind, documents, checked, onCheck }: Props) {
  const say = reviewTexts.use()
  const [view, setView] = useState<View>({ kind: 'none' })
  const address = view.kind === 'shown' ? view.address : undefined
  // A copy is only in the memory of this tab, and only while it is shown.
  useEffect(() => () => void (address !== undefined && URL.revokeObjectURL(address)), [address])
  const wanted = useRef('')
  const stage = useRef<HTMLDivElement>(null)
  // On a phone it is below the list, far from the button that opened it.
  const show = (): void => stage.current?.scrollIntoView({ block: 'nearest' })

  const open = async ({ id, purpose }: PinnedDocument): Promise<void> => {
    wanted.current = id
    setView({ kind: 'coming', id })
    try {
      const copy = await openCopy(caseId, kind, purpose)
      onOpened()
      if (wanted.current === id) setView({ kind: 'shown', id, address: URL.createObjectURL(copy) })
    } catch (error) {
      if (wanted.current === id) setView({ kind: 'failed', id, error })
    }
  }

  const open_ = documents.find(({ id }) => view.kind !== 'none' && view.id === id)
  return (
    <section className={classes['documents']} aria-label={say('documents')}>
      <Stack gap="sm">
        <Title order={2}>{say('documents')}</Title>
        <ul className={classes['list']} aria-label={say('documents')}>
          {documents.map((document) => (
            <DocumentRow
              key={document.id}
              document={document}
              isOpen={document === open_}
              wasOpened={opened?.isOpened(document.id)}
              isChecked={checked.includes(document.id)}
              onOpen={() => void open(document)}
              onCheck={(isChecked) => onCheck(document.id, isChecked)}
            />
          ))}
        </ul>
      </Stack>
      <div className={classes['stage']} ref={stage}>
        <Paper className={classes['paper']}>
          {documents.length === 0 && <EmptyState icon={IconFileSearch} title={say('noDocuments')} />}
          {documents.length > 0 && view.kind === 'none' && (
            <EmptyState icon={IconFileSearch} title={say('nothingOpen')} text={say('nothingOpenText')} />
          )}
          {view.kind === 'coming' && (
            <Group p="xl" justify="center" role="status">
              <Loader size="sm" />
              <Text>{say('opening')}</Text>
            </Group>
          )}
          {view.kind === 'failed' && <Problem error={view.error} />}
          {view.kind === 'shown' && open_ && (
            <Picture key={view.address} address={view.address} document={open_} onShown={show} />
          )}
        </Paper>
        {open_ && <Looks key={open_.id} documentId={open_.id} isShown={view.kind === 'shown'} />}
      </div>
    </section>
  )
}

const kilobytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024))} KB`

type RowProps = {
  document: PinnedDocument
  isOpen: boolean
  /** By this reviewer, in its present version; undefined until it is known. */
  wasOpened: boolean | undefined
  isChecked: boolean
  onOpen(): void
  onCheck(isChecked: boolean): void
}

function DocumentRow({ document, isOpen, wasOpened, isChecked, onOpen, onCheck }: RowProps) {
  const say = reviewTexts.use()
  const name = say(`purpose.${document.purpose as Purpose}`)
  const sameFiles = document.same_as.map((purpose) => say(`purpose.${purpose as Purpose}`)).join(', ')
  return (
    <li className={classes['row']} data-open={isOpen || undefined}>
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          {wasOpened !== undefined && (
            <Badge color={wasOpened ? 'green' : 'yellow'}>{say(wasOpened ? 'openedByYou' : 'notOpenedByYou')}</Badge>
          )}
          {document.unreadable && <Badge color="red">{say('unreadable')}</Badge>}
          {sameFiles && <Badge color="orange">{say('sameFile', { names: sameFiles })}</Badge>}
        </Group>
        <Group gap="sm">
          <Button
            size="xs"
            variant={isOpen ? 'light' : 'default'}
            onClick={onOpen}
            disabled={document.unreadable}
            aria-label={`${say(isOpen ? 'openAgain' : 'open')}: ${name}`}
          >
            {say(isOpen ? 'openAgain' : 'open')}
          </Button>
          <Checkbox
            label={say('checked')}
            aria-label={`${say('checked')}: ${name}`}
            checked={isChecked}
            onChange={(event) => onCheck(event.currentTarget.checked)}
          />
        </Group>
      </Group>
      <Group gap="md" className={classes['facts']}>
        <span>{document.content_type}</span>
        <span>{kilobytes(document.size_bytes)}</span>
        <span>
          {say('uploaded')} <Moment at={document.uploaded_at} />
        </span>
        <span className={classes['hash']}>
          {say('hash')}{' '}
          <span className="code" title={document.sha256}>
            {document.sha256.slice(0, 12)}…
          </span>
          <CopyButton value={document.sha256} label={`${say('hash')}: ${name}`} />
        </span>
      </Group>
    </li>
  )
}

const zooms = [1, 1.5, 2, 3, 4] as const

type PictureProps = { address: string; document: PinnedDocument; onShown(): void }

function Picture({ address, document, onShown }: PictureProps) {
  const say = reviewTexts.use()
  const name = operatorTexts.use()(`purpose.${document.purpose as Purpose}`)
  const [zoom, setZoom] = useState(0)
  const [turns, setTurns] = useState(0)
  return (
    <div>
      <Group gap={4} p="xs" className={classes['tools']}>
        <Tool
          text={say('zoomIn')}
          sign={IconZoomIn}
          onClick={() => setZoom(Math.min(zoom + 1, zooms.length - 1))}
          isOff={zoom === zooms.length - 1}
        />
        <Tool text={say('zoomOut')} sign={IconZoomOut} onClick={() => setZoom(Math.max(zoom - 1, 0))} isOff={zoom === 0} />
        <Tool text={say('rotate')} sign={IconRotateClockwise} onClick={() => setTurns((turns + 1) % 4)} />
        <Tool
          text={say('reset')}
          sign={IconRefresh}
          onClick={() => {
            setZoom(0)
            setTurns(0)
          }}
          isOff={zoom === 0 && turns === 0}
        />
        <Text size="sm" c="dimmed" className="figures" role="status">
          {zooms[zoom]! * 100}% · {turns * 90}°
        </Text>
      </Group>
      {/* Can be scrolled by keyboard too. */}
      <div className={classes['view']} tabIndex={0} role="region" aria-label={say('picture', { document: name })}>
        <img
          src={address}
          onLoad={onShown}
          alt={say('picture', { document: name })}
          data-turns={turns}
          className={classes['picture']}
          style={{ width: `${zooms[zoom]! * 100}%`, rotate: `${turns * 90}deg` }}
        />
      </div>
    </div>
  )
}

function Tool({
  text,
  sign: Sign,
  onClick,
  isOff = false,
}: {
  text: string
  sign: typeof IconZoomIn
  onClick(): void
  isOff?: boolean
}) {
  return (
    <Tooltip label={text}>
      <ActionIcon aria-label={text} onClick={onClick} disabled={isOff}>
        <Sign size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

/** The viewers of a document, from the audit log. Each viewer sees here that views are recorded. */
function Looks({ documentId, isShown }: { documentId: string; isShown: boolean }) {
  const say = reviewTexts.use()
  const { data: answer, refetch } = useAnswer('GET /v1/admin/audit', {
    query: { object: documentId, action: 'document.viewed', limit: 5 },
  })
  useEffect(() => {
    if (isShown) void refetch()
  }, [isShown, refetch])
  if (!answer) return null
  return (
    <Stack gap={4} component="section" aria-label={say('seen')}>
      <Text size="sm" fw={600}>
        {say('seen')}
      </Text>
      {answer.data.length === 0 && <Note>{say('nobodyYet')}</Note>}
      {answer.data.map(({ seq, at, actor, ip }) => (
        <Text key={seq} size="sm" c="dimmed">
          <Moment at={at} /> · {say('seenBy')} <Actor id={actor} />
          {ip !== null && ` · ${ip}`}
        </Text>
      ))}
    </Stack>
  )
}
