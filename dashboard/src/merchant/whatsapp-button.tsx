/** Sends the link of a payment page or request by WhatsApp. */
import { Button } from '@mantine/core'
import { IconBrandWhatsapp } from '../ui/icons.ts'
import { whatsAppAddress, type Shared } from './share.ts'

export function WhatsAppButton({ of }: { of: Shared }) {
  return (
    <Button
      component="a"
      variant="default"
      href={whatsAppAddress(of)}
      target="_blank"
      rel="noopener noreferrer"
      leftSection={<IconBrandWhatsapp size={16} aria-hidden />}
    >
      WhatsApp
    </Button>
  )
}
