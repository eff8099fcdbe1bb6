/** How to check the signature of a webhook: the very programs of the guide, which are tested there. */
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import guide from '../../../../docs/guides/webhooks.md?raw'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Section } from '../../ui/screen.tsx'
import { snippetOf } from './snippet-of.ts'
import { appTexts } from './texts.ts'

const languages = ['Node', 'PHP', 'Python'] as const

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
