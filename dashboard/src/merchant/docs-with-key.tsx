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
    const tab = window.open('', '_blank')
    if (!tab) return
    // It begins with a copy of the storage of this tab, drafts with names and numbers among them, which no sign-out would reach there.
    tab.sessionStorage.clear()
    tab.sessionStorage.setItem(keyInSession, value)
    tab.location.href = currentLanguage() === 'sw' ? '/docs/sw/quick-start' : '/docs/quick-start'
  }
  return (
    <Button variant="default" onClick={open}>
      {say('open')}
    </Button>
  )
}
