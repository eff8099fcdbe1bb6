/** A new payout batch: a file or pasted rows, sent as they are and checked by the API. */
import { BackLink } from '../links.tsx'
import {
  Button,
  Group,
  Paper,
  Progress,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { DownloadButton } from '../../ui/download-button.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { money, percent } from '../../ui/format.ts'
import { Screen } from '../../ui/screen.tsx'
import { newIdempotencyKey } from '../../ui/idempotency-key.ts'
import { optional } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { DropZone } from './drop-zone.tsx'
import classes from './drop-zone.module.css'
import { refusalText } from './refusal.ts'
import { sampleFile, sampleText } from './sample.ts'
import { sendRows } from './send-rows.ts'
import { newPayoutBatchTexts } from './texts.ts'

export default function NewPayoutBatchScreen() {
  const say = newPayoutBatchTexts.use()
  const { owner, environment } = useAccount()
  const may = useMay('payouts')
  return (
    <Screen title={say('title')} back={<BackLink to="./payouts/batches">{say('back')}</BackLink>}>
      {may === undefined && <Skeleton h={320} />}
      <Barred what="payouts" />
      {may && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Fields key={`${owner} ${environment}`} />
          <Help />
        </SimpleGrid>
      )}
    </Screen>
  )
}

const mostBytes = 8 * 1024 * 1024

type Source = 'file' | 'paste'

/** Sends the rows once; a repeat of the same rows after a lost answer finds the same batch. */
function useSending() {
  const { query } = useAccount()
  const [share, setShare] = useState(0)
  const [key, setKey] = useState(newIdempotencyKey)
  const sending = useRef<AbortController>(undefined)
  useEffect(() => () => sending.current?.abort(), [])
  const send = async (title: string, content: Blob): Promise<string | undefined> => {
    const mine = new AbortController()
    sending.current = mine
    setShare(0)
    try {
      await content.slice(0, 1).arrayBuffer()
      const { data } = await sendRows({
        query: { ...query, title: title.trim() },
        content,
        idempotencyKey: key,
        signal: mine.signal,
        onProgress: setShare,
      })
      return data.id
    } catch (error) {
      if (mine.signal.aborted) return undefined
      throw error
    }
  }
  return {
    share,
    send,
    stop: () => sending.current?.abort(),
    /** Other rows are another batch. */
    renew: () => setKey(newIdempotencyKey()),
  }
}

function Fields() {
  const say = newPayoutBatchTexts.use()
  const language = useLanguage()
  const navigate = useNavigate()
  const { owner, environment } = useAccount()
  const [source, setSource] = useState<Source>('file')
  const [file, setFile] = useState<File>()
  const draft = useDraft(`new-batch ${owner} ${environment}`, { title: '', rows: '' })
  const { title, rows } = draft.value
  const { share, send, stop, renew } = useSending()
  const content = source === 'file' ? file : rows.trim() === '' ? undefined : new Blob([rows])
  const form = useForm({
    check: (): Problems => {
      if (!content) return { rows: say(source === 'file' ? 'problem.nothingFile' : 'problem.nothingRows') }
      return content.size > mostBytes ? { rows: say('problem.payload_too_large') } : {}
    },
    send: async () => {
      const batchId = await send(title, content!)
      if (batchId === undefined) return
      draft.clear()
      const params = { owner, environment, batchId }
      await navigate({ to: '/$owner/$environment/payouts/batches/$batchId', params, replace: true })
    },
    problemsOf: (error) => ({ rows: refusalText(say, error) }),
  })
  const { isBusy } = form
  const change = (): void => {
    form.reset()
    renew()
  }

  return (
    <Paper p="lg">
      <Form of={form}>
        <TextInput
          label={optional(say('name'))}
          description={say('nameHint')}
          autoComplete="off"
          maxLength={120}
          disabled={isBusy}
          value={title}
          onChange={({ currentTarget }) => {
            draft.change({ title: currentTarget.value })
            change()
          }}
        />
        <SegmentedControl
          fullWidth
          aria-label={say('source')}
          disabled={isBusy}
          value={source}
          onChange={(next) => {
            setSource(next as Source)
            change()
          }}
          data={[
            { value: 'file', label: say('file') },
            { value: 'paste', label: say('paste') },
          ]}
        />
        {source === 'file' ? (
          <DropZone
            file={file}
            isWrong={form.refusal !== undefined}
            isBusy={isBusy}
            onFile={(chosen) => {
              setFile(chosen)
              change()
            }}
          />
        ) : (
          <Textarea
            label={say('rows')}
            description={say('rowsHint')}
            placeholder={sampleText(language)}
            rows={8}
            classNames={{ input: classes['rows']! }}
            error={form.problems['rows']}
            spellCheck={false}
            disabled={isBusy}
            value={rows}
            onChange={({ currentTarget }) => {
              draft.change({ rows: currentTarget.value })
              change()
            }}
          />
        )}
        {isBusy ? (
          <Sending share={share} onStop={stop} />
        ) : (
          <Button type="submit" size="md">
            {say('check')}
          </Button>
        )}
        <Text c="dimmed">{say('checkHint')}</Text>
      </Form>
    </Paper>
  )
}

function Sending({ share, onStop }: { share: number; onStop(): void }) {
  const say = newPayoutBatchTexts.use()
  const text = share < 1 ? say('sending', { share: percent(Math.floor(share * 100) / 100) }) : say('checking')
  return (
    <Stack gap="xs">
      <Progress value={share * 100} aria-label={text} animated={share === 1} />
      <Group justify="space-between">
        <Text role="status">{text}</Text>
        <Button variant="default" size="xs" onClick={onStop}>
          {say('stop')}
        </Button>
      </Group>
    </Stack>
  )
}

const columns = ['amount', 'phone_number', 'recipient_name', 'narration', 'reference'] as const
const swahili = { amount: 'kiasi', phone_number: 'simu', recipient_name: 'jina', narration: 'maelezo', reference: 'kumbukumbu' }

function Help() {
  const say = newPayoutBatchTexts.use()
  const language = useLanguage()
  const { query } = useAccount()
  const least = useAnswer('GET /v1/merchant/balance', { query }).data?.data.payout_minimum
  return (
    <Paper p="lg" component="section" aria-label={say('help')}>
      <Stack>
        <Title order={2}>{say('help')}</Title>
        <Text>{say('helpText')}</Text>
        <Table layout="fixed" verticalSpacing="xs" horizontalSpacing={0}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" w="40%">
                {say('column')}
              </Table.Th>
              <Table.Th scope="col">{say('content')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.map((column) => (
              <Table.Tr key={column}>
                <Table.Td className={classes['name']!}>
                  <Text fw={600}>{language === 'sw' ? swahili[column] : column}</Text>
                  <Text size="sm" c="dimmed" lang={language === 'sw' ? 'en' : 'sw'}>
                    {language === 'sw' ? column : swahili[column]}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {say(`columns.${column}`)}
                  {column === 'amount' && least !== undefined && <Text>{say('least', { amount: money(least) })}</Text>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text>{say('forms')}</Text>
        <Group>
          <DownloadButton onFetch={async () => sampleFile(language)}>{say('sample')}</DownloadButton>
        </Group>
      </Stack>
    </Paper>
  )
}
