/** The shortcuts of the merchants' frame, as far as the role of the person reaches. */
import { shared } from '../ui/texts.ts'
import { useNavigate } from '@tanstack/react-router'
import { defineTexts } from '../i18n/define-texts.ts'
import type { Command } from '../ui/shortcut-keys.ts'
import { ShortcutSheet } from '../ui/shortcut-sheet.tsx'
import { useAccount } from './account.ts'
import { useCan } from './membership.ts'
import { searchKeys } from './search/search-button.tsx'
import type { Section } from './sections.ts'
import { shellTexts } from './shell-texts.ts'
import { useShownSections } from './shown-sections.ts'

const texts = defineTexts('merchant-shortcuts', [shared], {
  anywhere: ['Search, also while you type', 'Tafuta, hata unapoandika'],
  request: ['New payment request', 'Ombi jipya la malipo'],
})

/** The same letters in both languages, so that they can be learned once. */
const letters: Record<Section['name'], string> = {
  'sections.home': 'h',
  'sections.payments': 'p',
  'sections.till': 't',
  'sections.pages': 'l',
  'sections.payouts': 'o',
  'sections.approvals': 'a',
  'sections.statement': 's',
  'sections.developers': 'd',
  'sections.team': 'm',
  'sections.support': 'u',
  'sections.brand': 'b',
  'sections.verification': 'v',
}

/** `onSearch`: undefined if the person may not search. */
export default function Shortcuts({ command, onSearch }: { command: Command; onSearch: (() => void) | undefined }) {
  const say = texts.use()
  const sayShell = shellTexts.use()
  const can = useCan()
  const navigate = useNavigate()
  const { owner, environment } = useAccount()
  const params = { owner, environment }
  const sections = useShownSections()
  return (
    <ShortcutSheet
      command={command}
      goTo={sections.map(({ path, name }) => ({
        key: `g${letters[name]}`,
        text: sayShell(name),
        run: () => void navigate({ to: path, params }),
      }))}
      actions={[
        ...(can('requests.write') === true
          ? [
              {
                key: 'n',
                text: say('request'),
                run: () => void navigate({ to: '/$owner/$environment/pages/requests/new', params }),
              },
            ]
          : []),
        ...(onSearch
          ? [
              { key: '/', text: say('search'), run: onSearch },
              { key: searchKeys, text: say('anywhere') },
            ]
          : []),
      ]}
    />
  )
}
