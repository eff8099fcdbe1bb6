/** The logo and the colour that payers of a merchant see; a logo that misleads them is removed with a reason. */
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction, useAnswer } from '../../api/queries.ts'
import { momentText } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { Section } from '../../ui/screen.tsx'
import { Facts } from '../facts.tsx'
import { ReasonDialog } from '../reason-dialog.tsx'
import { merchantTexts } from './texts.ts'
import { Unread } from '../../ui/unread.tsx'

export function BrandPart({ merchantId }: { merchantId: string }) {
  const say = merchantTexts.use()
  const params = { merchant_id: merchantId }
  const { data, error, refetch } = useAnswer('GET /v1/admin/merchants/{merchant_id}/brand', { params })
  const remove = useAction('POST /v1/admin/merchants/{merchant_id}/brand/remove-logo')
  const [isAsked, setIsAsked] = useState(false)
  if (!data) {
    return (
      <Section title={say('brand')}>
        <Unread of={{ error, refetch }} placeholder={120} />
      </Section>
    )
  }
  const { logo, color, shades, removal, shown_on_live_pages: isShown } = data.data
  const isAdjusted = shades !== null && (shades.light.is_adjusted || shades.dark.is_adjusted)
  const adjusted = isAdjusted && say('adjustedTo', { light: shades.light.background, dark: shades.dark.background })
  return (
    <Section
      title={say('brand')}
      actions={
        logo && (
          <Button variant="default" onClick={() => setIsAsked(true)}>
            {say('removeLogo')}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          [
            say('logo'),
            logo ? (
              <img
                key="logo"
                src={logo.data_url}
                width={logo.width}
                height={logo.height}
                style={{ maxWidth: '100%', height: 'auto' }}
                alt={say('logo')}
              />
            ) : (
              say('noLogo')
            ),
          ],
          [say('color'), color === null ? say('noColor') : [color, adjusted].filter(Boolean).join(' – ')],
          [say('onLivePages'), say(isShown ? 'shown' : 'notShown')],
          ...(removal ? [[say('lastRemoval'), `${momentText(removal.at)}: ${removal.reason}`] as [string, string]] : []),
        ]}
      />
      <ReasonDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={say('removeLogoTitle')}
        label={say('reason')}
        action={say('removeLogo')}
        isDanger
        onConfirm={async (reason) => {
          await remove.mutateAsync({ params, body: { reason } })
          setIsAsked(false)
          notifyDone(say('done'))
        }}
      >
        <Text>{say('removeLogoText')}</Text>
      </ReasonDialog>
    </Section>
  )
}
