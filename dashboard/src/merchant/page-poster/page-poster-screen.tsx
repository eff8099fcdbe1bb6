/** The poster of a payment page, A5: purpose, payee, the code to scan, and instructions. Swahili first. */
import { useParams } from '@tanstack/react-router'
import { Button, Group, Skeleton } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconPrinter } from '../../ui/icons.ts'
import { useAnswer } from '../../api/queries.ts'
import type { PaymentPage, PublicPaymentPage } from '../../api/operations.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { money } from '../../ui/format.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { useAccount } from '../account.ts'
import classes from './page-poster.module.css'
import { posterTexts } from './texts.ts'

export default function PagePosterScreen() {
  const say = posterTexts.use()
  const { page: name } = useParams({ from: '/$owner/$environment/print/pages/$page' })
  const { query } = useAccount()
  const page = useAnswer('GET /v1/merchant/payment-pages/{id_or_slug}', { params: { id_or_slug: name }, query })
  const slug = page.data?.data.slug
  // The payee's name, exactly as in the checkout.
  const seen = useAnswer('GET /v1/pay/{slug}', { params: { slug: slug ?? '' } }, { isWanted: slug !== undefined })
  const error = page.error ?? seen.error
  useDocumentTitle(`${say('title')} – Malipo`)
  return (
    <main className={classes['ground']}>
      <Group className={classes['tools']} justify="space-between">
        <BackLink from="/$owner/$environment/print/pages/$page" to="/$owner/$environment/pages/$page">
          {say('back')}
        </BackLink>
        <Button leftSection={<IconPrinter size={16} aria-hidden />} disabled={!seen.data} onClick={() => print()}>
          {say('print')}
        </Button>
      </Group>
      {page.data && seen.data ? (
        <Poster page={page.data.data} seen={seen.data.data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => Promise.all([page.refetch(), seen.refetch()])} />
      ) : (
        <Skeleton className={classes['waiting']!} />
      )}
    </main>
  )
}

/** The poster is for payers, so it is in both languages, independent of the merchant's language. */
const steps = [
  ['Elekeza kamera ya simu kwenye msimbo', 'Point your phone’s camera at the code'],
  ['Weka namba yako ya simu', 'Enter your phone number'],
  ['Thibitisha kwa namba ya siri (PIN) kwenye simu yako', 'Approve with the PIN on your phone'],
] as const

function Poster({ page, seen }: { page: PaymentPage; seen: PublicPaymentPage }) {
  const say = posterTexts.use()
  const isFixed = !page.allow_custom_amount && page.amount !== null
  return (
    <article className={classes['poster']} aria-label={say('title')} lang="sw">
      <header className={classes['head']}>
        <p className={classes['payHere']}>
          Lipa hapa kwa simu
          <span lang="en">Pay here with your phone</span>
        </p>
        <p className={classes['merchant']}>{seen.merchant_name}</p>
      </header>
      {page.environment === 'test' && <p className={classes['test']}>MAJARIBIO · TEST</p>}
      <div className={classes['what']}>
        <h1>{page.title}</h1>
        {isFixed && <p className={classes['amount']}>{money(page.amount!, 'sw')}</p>}
      </div>
      <div className={classes['code']}>
        <QrCode value={page.url} label={say('code')} size={264} />
      </div>
      <p className={classes['link']}>{page.url.replace(/^https?:\/\//, '')}</p>
      <ol className={classes['steps']}>
        {steps.map(([sw, en], index) => (
          <li key={sw}>
            <b aria-hidden>{index + 1}</b>
            <span>
              {sw}
              <span lang="en">{en}</span>
            </span>
          </li>
        ))}
      </ol>
      <footer className={classes['foot']}>
        <p>M-Pesa · Airtel Money · Mixx by Yas · HaloPesa</p>
        <p>
          Usimpe mtu yeyote namba yako ya siri. <span lang="en">Never tell anyone your PIN.</span>
        </p>
      </footer>
    </article>
  )
}
