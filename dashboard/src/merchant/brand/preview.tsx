/** What payers see of a logo and a colour, on a light and on a dark screen. The API shades the colour; nothing is computed here. */
import { Note } from '../../ui/note.tsx'
import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { Brand, BrandShades } from '../../api/operations.ts'
import classes from './brand.module.css'
import { brandTexts } from './texts.ts'

/** Without a colour: the buttons of the service. */
const plain: BrandShades = {
  light: { background: '#0a6148', text: '#ffffff', is_adjusted: false },
  dark: { background: '#0a6148', text: '#ffffff', is_adjusted: false },
}

type Props = { brand: Pick<Brand, 'name' | 'logo'>; shades: BrandShades | null }

export function BrandPreview({ brand: { name, logo }, shades }: Props) {
  const say = brandTexts.use()
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {(['light', 'dark'] as const).map((scheme) => {
          const { background, text, is_adjusted } = (shades ?? plain)[scheme]
          const own = { background, color: text }
          return (
            <Stack gap={6} key={scheme} role="group" aria-label={say(scheme)}>
              <Text fw={600}>{say(scheme)}</Text>
              <div className={classes['page']} data-scheme={scheme}>
                <div className={classes['bar']} style={shades ? own : undefined} />
                <div className={classes['card']}>
                  <div className={classes['who']}>
                    {logo ? (
                      <img src={logo.data_url} alt="" />
                    ) : (
                      <span className={classes['mark']} style={own} aria-hidden>
                        {name.charAt(0).toUpperCase()}
                      </span>
                    )}
                    <span>
                      <small>{say('payTo')}</small>
                      <b>{name}</b>
                    </span>
                  </div>
                </div>
                <div className={classes['button']} style={own}>
                  {say('pay')}
                </div>
              </div>
              {shades && (
                <Text size="sm" role="status">
                  {is_adjusted ? say(scheme === 'light' ? 'darker' : 'lighter', { color: background }) : say('unchanged')}
                </Text>
              )}
            </Stack>
          )
        })}
      </SimpleGrid>
      <Note>{say('statesStay')}</Note>
    </Stack>
  )
}
