/** The shortcuts of the operators' frame. */
import { shared } from '../ui/texts.ts'
import { useNavigate } from '@tanstack/react-router'
import { defineTexts } from '../i18n/define-texts.ts'
import type { Command } from '../ui/shortcut-keys.ts'
import { ShortcutSheet } from '../ui/shortcut-sheet.tsx'
import { sections } from './sections.ts'
import { shellTexts } from './shell-texts.ts'

const texts = defineTexts('admin-shortcuts', [shared], {
  reviews: ['In the list of reviews', 'Kwenye orodha ya ukaguzi'],
  down: ['Next row', 'Mstari unaofuata'],
  up: ['Previous row', 'Mstari uliotangulia'],
  open: ['Open the row', 'Fungua mstari'],
  take: ['Take the row', 'Chukua mstari'],
})

const letters: Record<(typeof sections)[number]['name'], string> = {
  'sections.home': 'h',
  'sections.search': 'f',
  'sections.reviews': 'r',
  'sections.stuck': 's',
  'sections.support': 'u',
  'sections.breaks': 'b',
  'sections.reconciliation': 'c',
  'sections.payouts': 'o',
  'sections.switches': 'w',
  'sections.audit': 'a',
}

export default function Shortcuts({ command }: { command: Command }) {
  const say = texts.use()
  const sayShell = shellTexts.use()
  const navigate = useNavigate()
  const search = async (): Promise<void> => {
    await navigate({ to: '/search' })
    document.querySelector<HTMLElement>('[role=search] input')?.focus()
  }
  return (
    <ShortcutSheet
      command={command}
      goTo={sections.map(({ path, name }) => ({
        key: `g${letters[name]}`,
        text: sayShell(name),
        run: () => void navigate({ to: path }),
      }))}
      actions={[{ key: '/', text: say('search'), run: () => void search() }]}
      others={[
        {
          title: say('reviews'),
          shortcuts: [
            { key: 'j', text: say('down') },
            { key: 'k', text: say('up') },
            { key: 'Enter', text: say('open') },
            { key: 't', text: say('take') },
          ],
        },
      ]}
    />
  )
}
