/** One payment page: its totals, its link in every form, and whether it takes payments. */
import { BackLink, LinkButton } from '../links.tsx'
import { useParams } from '@tanstack/react-router'
import { Alert, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { IconBan, IconPencil, IconShieldHalf } from '../../ui/icons.ts'
import { useAnswer } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { momentText } from '../../ui/format.ts'
import { Screen } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { ActiveSwitch } from './active-switch.tsx'
import { PagePayments } from './page-payments.tsx'
import { PageTotals } from './page-totals.tsx'
import { QrPictures } from './qr-pictures.tsx'
import { ShareLink } from './share-link.tsx'
import { pageTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

const floodedText = { pace: 'floodedText', network: 'floodedByNetwork', ordered: 'floodedByOrder' } as const

export default function PageScreen() {
  const say = pageTexts.use()
  const { page: name } = useParams({ from: '/signed-in/$owner/$environment/pages/$page' })
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer(
    'GET /v1/merchant/payment-pages/{id_or_slug}',
    { params: { id_or_slug: name }, query },
    { isLive: true },
  )
  const page = data?.data
  const can = useCan()
  const back = <BackLink to="./pages">{say('back')}</BackLink>
  if (!page)
    return (
      <UnreadScreen
        title={say('title')}
        back={back}
        of={{ error, refetch }}
        placeholder={
          <Stack role="status" aria-label={say('loading')}>
            <Skeleton h={90} />
            <Skeleton h={260} />
          </Stack>
        }
      />
    )
  return (
    <Screen
      title={page.title}
      text={page.description ?? undefined}
      back={back}
      mark={<StatusBadge status={page.active ? 'active' : 'inactive'} />}
      actions={
        can('pages.write') && (
          <>
            <ActiveSwitch page={page} />
            <LinkButton to="./pages/$page/edit" params={{ page: page.id }} leftSection={<IconPencil size={16} aria-hidden />}>
              {say('edit')}
            </LinkButton>
          </>
        )
      }
    >
      {Boolean(error) && <ErrorState error={error} onRetry={refetch} />}
      {page.suspension && (
        <Alert color="red" icon={<IconBan aria-hidden />} title={say('suspended')}>
          {page.suspension.reason}
        </Alert>
      )}
      {page.confirming_since && (
        <Alert color="yellow" icon={<IconShieldHalf aria-hidden />} title={say('flooded')}>
          {say(floodedText[page.confirming_reason ?? 'pace'], { since: momentText(page.confirming_since) })}
        </Alert>
      )}
      <PageTotals page={page} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="lg">
        <ShareLink page={page} />
        <QrPictures page={page} />
      </SimpleGrid>
      <PagePayments page={page} />
    </Screen>
  )
}
