/** The QR code of a payment page: on screen, as a file, or on a poster. */
import { LinkButton } from '../links.tsx'
import { Group, Stack, Text } from '@mantine/core'
import { IconPrinter } from '../../ui/icons.ts'
import { download } from '../../api/call.ts'
import type { PaymentPage } from '../../api/operations.ts'
import { DownloadButton, type SavedFile } from '../../ui/download-button.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import classes from './page.module.css'
import { pngOfSvg } from './png-of-svg.ts'
import { pageTexts } from './texts.ts'

/** Pixels: sharp on a sheet of paper. */
const fileWidth = 1200

export function QrPictures({ page }: { page: PaymentPage }) {
  const say = pageTexts.use()
  const { query } = useAccount()
  const fetchSvg = (): Promise<SavedFile> =>
    download('GET /v1/merchant/payment-pages/{id_or_slug}/qr', {
      params: { id_or_slug: page.id },
      query: { ...query, size: fileWidth, download: 'true' },
      accept: 'image/svg+xml',
    })
  const fetchPng = async (): Promise<SavedFile> => {
    const { file, name } = await fetchSvg()
    return { file: await pngOfSvg(file, fileWidth), name: name.replace(/\.svg$/, '.png') }
  }
  return (
    <Section title={say('qr')}>
      <Group align="start" gap="lg">
        <div className={classes['qr']}>
          <QrCode value={page.url} label={say('qrOf', { title: page.title })} size={148} />
        </div>
        <Stack gap="xs" flex={1} miw={180} align="start">
          <Text c="dimmed">{say('qrText')}</Text>
          <Group gap="xs">
            <DownloadButton onFetch={fetchPng}>PNG</DownloadButton>
            <DownloadButton onFetch={fetchSvg}>SVG</DownloadButton>
            <LinkButton
              to="./print/pages/$page"
              params={{ page: page.id }}
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
            >
              {say('poster')}
            </LinkButton>
          </Group>
        </Stack>
      </Group>
    </Section>
  )
}
