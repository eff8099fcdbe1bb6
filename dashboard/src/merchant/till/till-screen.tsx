/** The till: the last payment in large figures, spoken when it arrives, today's total, and a way to ask for a payment. */
import { ActionIcon, Button, Group, Skeleton, Switch, Text, Title } from '@mantine/core'
import { useDocumentTitle, useFullscreenDocument } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { Link } from '@tanstack/react-router'
import type { Till } from '../../api/operations.ts'
import { useAnswer, useOldSince } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { clockText, money } from '../../ui/format.ts'
import { IconMaximize, IconPlus, IconQrcode, IconVolume, IconX } from '../../ui/icons.ts'
import { LiveBanner } from '../../ui/live-banner.tsx'
import { Moment, useNow } from '../../ui/moment.tsx'
import { shared } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { useCan, useMembership } from '../membership.ts'
import { NotYours, useIsClosed } from '../not-yours.tsx'
import { shellTexts } from '../shell-texts.ts'
import { arrivals, isFresh } from './arrivals.ts'
import { PageCode } from './page-code.tsx'
import { RequestSheet } from './request-sheet.tsx'
import { Sheet } from './sheet.tsx'
import { tillTexts } from './texts.ts'
import classes from './till.module.css'
import { useCounterScreen } from './use-counter-screen.ts'
import { useSound, type Sound } from './use-sound.ts'
import { useTillPage } from './use-till-page.ts'

type Payment = Till['payments'][number]

function whoPaid({ customer }: Payment): string {
  return customer.name ?? customer.phone_masked
}

/** Of when the figures are, if they are old. */
function AsOf({ oldSince }: { oldSince: number | undefined }) {
  const say = shared.use()
  return oldSince !== undefined && <Text fw={600}>{say('asOf', { time: clockText(oldSince) })}</Text>
}

/** `nowMs`: by the clock of the service. */
function Last({ till, oldSince, nowMs }: { till: Till; oldSince: number | undefined; nowMs: number }) {
  const say = tillTexts.use()
  const [payment] = till.payments
  if (!payment) {
    return (
      <section className={classes['last']} aria-label={say('last')}>
        <Text className={classes['lastTitle']!}>{say('none')}</Text>
        <Text c="dimmed">{say('noneText')}</Text>
        <AsOf oldSince={oldSince} />
      </section>
    )
  }
  const isCurrent = oldSince === undefined
  const isNew = isCurrent && isFresh(payment, nowMs)
  const { short_code: code, network, network_receipt: receipt } = payment
  return (
    <section className={classes['last']} aria-label={say('last')} data-new={isNew} data-old={!isCurrent}>
      <Text className={classes['lastTitle']!}>{say(isNew ? 'new' : 'last')}</Text>
      <AsOf oldSince={oldSince} />
      <p className={`${classes['amount']} figures`} role="status">
        {money(payment.amount)}
      </p>
      <Text size="lg">{[whoPaid(payment), network && say(`network.${network}`)].filter(Boolean).join(' · ')}</Text>
      <Text size="lg">
        <Moment at={payment.credited_at} hasSeconds />
      </Text>
      <Text>{say('code', { code })}</Text>
      {receipt && <Text>{say('receipt', { receipt })}</Text>}
    </section>
  )
}

function Today({ till, oldSince }: { till: Till; oldSince: number | undefined }) {
  const say = tillTexts.use()
  return (
    <section className={classes['today']} aria-label={say('today')}>
      <Text fw={600}>{say('today')}</Text>
      <AsOf oldSince={oldSince} />
      <div className={classes['total']}>
        <strong className="figures">{money(till.today.volume)}</strong>
        <span>{say('payments', { count: till.today.count })}</span>
      </div>
      {till.today.counted_after !== null && (
        <Text size="sm" fw={600}>
          {say('countedAfter', { time: clockText(Date.parse(till.today.counted_after)) })}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {till.payment_page ? say('countsPage', { page: till.payment_page.title }) : say('countsRequests')}
      </Text>
    </section>
  )
}

function List({ till }: { till: Till }) {
  const say = tillTexts.use()
  if (till.payments.length === 0) return null
  return (
    <section aria-label={say('list')}>
      <Title order={2} mb="xs">
        {say('list')}
      </Title>
      <ol className={classes['list']}>
        {till.payments.map((payment) => (
          <li key={payment.reference}>
            <span className={classes['who']}>
              {whoPaid(payment)}
              <small>
                <time dateTime={payment.credited_at}>{clockText(Date.parse(payment.credited_at))}</time>
                {` · ${payment.short_code}`}
              </small>
            </span>
            <strong className="figures">{money(payment.amount)}</strong>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Top({ sound }: { sound: Sound }) {
  const say = tillTexts.use()
  const sayShell = shellTexts.use()
  const { owner, environment } = useAccount()
  const membership = useMembership()
  const { toggle, fullscreen } = useFullscreenDocument()
  return (
    <header className={classes['top']}>
      <div className={classes['name']}>
        <Title order={1}>{membership && membership !== 'me' ? membership.business.name : say('title')}</Title>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Switch
          size="md"
          checked={sound.isWanted}
          onChange={({ currentTarget }) => sound.turn(currentTarget.checked)}
          label={say('sound')}
        />
        {document.fullscreenEnabled && (
          <ActionIcon aria-label={say('fullScreen')} aria-pressed={fullscreen} onClick={() => void toggle()}>
            <IconMaximize size={20} aria-hidden />
          </ActionIcon>
        )}
        <ActionIcon component={Link} to="/$owner/$environment" params={{ owner, environment } as never} aria-label={say('close')}>
          <IconX size={20} aria-hidden />
        </ActionIcon>
      </Group>
      {environment === 'test' && <span className={classes['test']}>{sayShell('testBanner')}</span>}
    </header>
  )
}

export default function TillScreen() {
  const isClosed = useIsClosed()
  return <main className={classes['screen']}>{isClosed ? <NotYours /> : <OpenTill />}</main>
}

function OpenTill() {
  const say = tillTexts.use()
  const { owner, environment, query } = useAccount()
  const can = useCan()
  const personId = useAnswer('GET /v1/me', {}).data?.data.id
  const [page, choosePage] = useTillPage()
  const now = useNow()
  const sound = useSound()
  useCounterScreen()
  useDocumentTitle(`${say('title')} – Malipo`)
  const [sheet, setSheet] = useState<'request' | 'page'>()
  const answer = useAnswer(
    'GET /v1/merchant/till',
    { query: { ...query, ...(page !== null && { payment_page_id: page }) } },
    { isLive: true },
  )
  const { data, dataUpdatedAt, error, refetch } = answer
  const till = data?.data
  const before = useRef<Till>(undefined)
  const { announce } = sound
  useEffect(() => {
    if (!till || till === before.current) return
    announce(arrivals(before.current, till))
    before.current = till
  }, [till, announce])
  const oldSince = useOldSince([answer])
  return (
    <>
      <Top sound={sound} />
      <LiveBanner />
      {sound.isBlocked && (
        <Button
          variant="light"
          color="yellow"
          fullWidth
          leftSection={<IconVolume size={18} aria-hidden />}
          onClick={() => sound.turn(true)}
        >
          {say('soundBlocked')}
        </Button>
      )}
      {till ? (
        <>
          <div className={classes['columns']}>
            <div className={classes['main']}>
              <Last till={till} oldSince={oldSince} nowMs={Date.parse(till.as_of) + Math.max(0, now - dataUpdatedAt)} />
              <Today till={till} oldSince={oldSince} />
              <Group grow gap="sm">
                {can('requests.write') && (
                  <Button size="lg" px="sm" leftSection={<IconPlus size={20} aria-hidden />} onClick={() => setSheet('request')}>
                    {say('request')}
                  </Button>
                )}
                {can('pages.read') && (
                  <Button
                    size="lg"
                    px="sm"
                    variant="default"
                    leftSection={<IconQrcode size={20} aria-hidden />}
                    onClick={() => setSheet('page')}
                  >
                    {say('showPage')}
                  </Button>
                )}
              </Group>
            </div>
            <List till={till} />
          </div>
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={refetch} />
      ) : (
        <Skeleton h={320} role="status" aria-label={say('loading')} />
      )}
      {personId !== undefined && can('requests.write') && (
        <RequestSheet
          key={`${personId} ${owner} ${environment}`}
          personId={personId}
          isOpen={sheet === 'request'}
          onOpen={() => setSheet('request')}
          onClose={() => setSheet(undefined)}
        />
      )}
      <Sheet title={say('page')} isOpen={sheet === 'page'} onClose={() => setSheet(undefined)}>
        <PageCode chosen={page} onChoose={choosePage} />
      </Sheet>
    </>
  )
}
