/** Code that checks the signature of a webhook: the programs of the guide, which are tested there. */
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import guide from '../../../../docs/guides/webhooks.md?raw'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Section } from '../../ui/screen.tsx'
import { appTexts } from './texts.ts'

const languages = ['Node', 'PHP', 'Python', 'Go'] as const

/** The first code block below the heading of its language. */
function snippetOf(guide: string, heading: string): string {
  const section = guide.split(`\n## ${heading}\n`)[1] ?? ''
  const found = /```\w+\n([^`]*(?:`(?!``)[^`]*)*)```/.exec(section)
  if (!found) throw new Error(`The guide has no program for ${heading}.`)
  return found[1]!.trimEnd()
}

export function Snippets() {
  const say = appTexts.use()
  const [language, setLanguage] = useState<string>('Node')
  return (
    <Section
      title={say('verify')}
      actions={
        <SegmentedControl size="xs" aria-label={say('language')} value={language} onChange={setLanguage} data={[...languages]} />
      }
    >
      <Stack gap="sm">
        <Text c="dimmed">{say('verifyText')}</Text>
        <CodeBlock label={language} code={snippetOf(guide, language)} isProgram />
      </Stack>
    </Section>
  )
}
