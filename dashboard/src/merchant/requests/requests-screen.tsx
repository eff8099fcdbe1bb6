/** The API requests of a wallet's keys, newest first: result, reason of a failure, and duration. */
import { LinkButton } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Group, SegmentedControl, SimpleGrid, Text, VisuallyHidden } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconTerminal2 } from '../../ui/icons.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { figureColumn, headingColumn, momentColumn, oppositeColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { milliseconds } from '../../ui/format.ts'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { useFilter, type Changes } from '../../ui/list-search.ts'
import { SignBadge } from '../../ui/status-badge.tsx'
import { ownerOf, useAccount } from '../account.ts'
import { WalletNav } from '../wallet-nav.tsx'
import type { RequestsFilter } from '../searches.ts'
import { requestsTexts } from './texts.ts'

export default function RequestsScreen() {
  const say = requestsTexts.use()
  const { query } = useAccount()
  const { app, key, ...search } = useSearch({ from: '/signed-in/$owner/$environment/developers/requests' })
  const requests = useList(
    'GET /v1/merchant/requests',
    { query: { ...query, ...search, ...(app && { app_id: app }), ...(key && { key_id: key }), limit: 25 } },
    { isLive: true },
  )
  const { filter, change } = useFilter<RequestsFilter>()
  const columns = useColumns()
  const isNarrowed = Object.keys(filter).length > 0
  return (
    <ListScreen
      title={say('title')}
      nav={<WalletNav of="developers" />}
      text={say('text')}
      list={requests}
      columns={columns}
      rowKey={({ request_id, requested_at }) => `${request_id} ${requested_at}`}
      noneFound={isNarrowed && { title: say('noSuch'), text: say('noSuchText') }}
      none={{
        icon: IconTerminal2,
        title: say('no'),
        text: say('noText'),
        action: (
          <LinkButton to="./developers/quick-start" variant="default">
            {say('toQuickStart')}
          </LinkButton>
        ),
      }}
    >
      <FilterBar filter={filter} onChange={change} />
    </ListScreen>
  )
}

function useColumns(): Column<ApiRequest>[] {
  const say = requestsTexts.use()
  return [
    headingColumn(
      say('request'),
      ({ method, route }) => (
        <Text span className="code" fw={550}>
          {method} {route}
        </Text>
      ),
      ({ key }) => (
        <>
          {key.key_name} <span className="code">…{key.last4}</span>
        </>
      ),
    ),
    oppositeColumn(say('status'), ({ status }) => <Answered status={status} />),
    {
      title: say('error'),
      cell: ({ error_code }) => (error_code === null ? say('none') : <span className="code">{error_code}</span>),
    },
    figureColumn(say('took'), ({ duration_ms }) => milliseconds(duration_ms)),
    momentColumn(say('when'), ({ requested_at }) => requested_at, { hasSeconds: true }),
    figureColumn(say('id'), ({ request_id }) => (
      <Group gap={2} wrap="nowrap" justify="end">
        <span className="code" title={request_id}>
          …{request_id.slice(-6)}
        </span>
        <CopyButton value={request_id} label={say('id')} />
      </Group>
    )),
  ]
}

function Answered({ status }: Pick<ApiRequest, 'status'>) {
  const say = requestsTexts.use()
  const hasFailed = status >= 400
  return (
    <SignBadge look={hasFailed ? ['red', IconCircleX] : ['green', IconCircleCheck]}>
      {status} <VisuallyHidden>{say(hasFailed ? 'failed' : 'succeeded')}</VisuallyHidden>
    </SignBadge>
  )
}

type FilterProps = { filter: RequestsFilter; onChange(changes: Changes<RequestsFilter>): void }

function FilterBar({ filter, onChange }: FilterProps) {
  const say = requestsTexts.use()
  const { owner, environment } = useAccount()
  const apps = useAnswer('GET /developers/apps', { query: { owner: ownerOf(owner), environment, limit: 100 } }).data?.data ?? []
  const keys = useAnswer(
    'GET /developers/keys',
    { query: { ...(filter.app !== undefined && { app_id: filter.app }), environment, limit: 100 } },
    { isWanted: filter.app !== undefined },
  )
  return (
    <Group gap="sm" align="end" role="search" aria-label={say('title')}>
      <SegmentedControl
        aria-label={say('outcome')}
        value={filter.outcome ?? 'any'}
        onChange={(value) => onChange({ outcome: value === 'any' ? undefined : (value as RequestsFilter['outcome']) })}
        data={(['any', 'failed', 'succeeded'] as const).map((value) => ({ value, label: say(`outcomes.${value}`) }))}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" flex={1} miw={220} maw={520}>
        <FilterSelect
          size="sm"
          aria-label={say('app')}
          any={say('anyApp')}
          options={apps.map(({ id, name }) => [id, name])}
          value={filter.app}
          // A key belongs to one app.
          onChoose={(app) => onChange({ app, key: undefined })}
        />
        {filter.app !== undefined && (
          <FilterSelect
            size="sm"
            aria-label={say('key')}
            any={say('anyKey')}
            options={(keys.data?.data ?? []).map(({ id, key_name, last4 }) => [id, `${key_name} …${last4}`])}
            value={filter.key}
            onChoose={(key) => onChange({ key })}
          />
        )}
      </SimpleGrid>
    </Group>
  )
}
