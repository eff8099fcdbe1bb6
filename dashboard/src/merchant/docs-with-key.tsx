/**
 * Opens the quick start of the documentation with a test key in its commands. Invariant: the key is only in the new tab: no address and
 * no request contains it.
 */
import { Button } from '@mantine/core'
import { defineTexts } from '../i18n/define-texts.ts'
import { currentLanguage } from '../i18n/current-language.ts'

const texts = defineTexts('docs-with-key', {
  open: ['Open the guide with this key', 'Fungua mwongozo na ufunguo huu'],
})

/** The script of a documentation page reads it under this name: `server/views/web/docs/script.ts`. */
const keyInSession = 'malipo-docs-key'

/** Nothing for a live key. */
export function DocsWithKey({ value }: { value: string }) {
  const say = texts.use()
  if (!value.startsWith('svc_test_')) return undefined
  const open = (): void => {
    // The new tab begins with a copy of the storage of this one.
    sessionStorage.setItem(keyInSession, value)
    window.open(currentLanguage() === 'sw' ? '/docs/sw/quick-start' : '/docs/quick-start', '_blank')
    sessionStorage.removeItem(keyInSession)
  }
  return (
    <Button variant="default" onClick={open}>
      {say('open')}
    </Button>
  )
}
