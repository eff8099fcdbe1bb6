/** The link of a payment page: copy it, send it by WhatsApp or SMS, or open it. */
import { WhatsAppButton } from '../whatsapp-button.tsx'
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconExternalLink, IconMessage } from '../../ui/icons.ts'
import type { PaymentPage } from '../../api/operations.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Section } from '../../ui/screen.tsx'
import { smsAddress } from '../share.ts'
import { pageTexts } from './texts.ts'

export function ShareLink({ page }: { page: PaymentPage }) {
  const say = pageTexts.use()
  return (
    <Section title={say('share')}>
      <Stack>
        <TextInput
          label={say('link')}
          description={say('linkText')}
          value={page.url}
          readOnly
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Group gap="xs">
          <CopyButton value={page.url} label={say('copyLink')} isWide />
          <WhatsAppButton of={page} />
          <Button component="a" variant="default" href={smsAddress(page)} leftSection={<IconMessage size={16} aria-hidden />}>
            SMS
          </Button>
          <Button
            component="a"
            variant="default"
            href={page.url}
            target="_blank"
            rel="noopener noreferrer"
            leftSection={<IconExternalLink size={16} aria-hidden />}
          >
            {say('open')}
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}
