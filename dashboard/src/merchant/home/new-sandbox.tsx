/** The test key and the test page of a person or a business that has just been registered. The key is shown until the person has stored it. */
import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { forgetSandbox, newSandbox } from '../../api/session.ts'
import { Note } from '../../ui/note.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Section } from '../../ui/screen.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { LinkButton, TextLink } from '../../ui/link-button.tsx'
import { useAccount } from '../account.ts'
import { DocsWithKey } from '../docs-with-key.tsx'
import { homeTexts } from './texts.ts'

export default function NewSandbox() {
  const say = homeTexts.use()
  const { owner, environment } = useAccount()
  const [sandbox, setSandbox] = useState(() => newSandbox(owner))
  if (!sandbox) return undefined
  const done = (): void => {
    forgetSandbox(owner)
    setSandbox(undefined)
  }
  return (
    <Section title={say('sandbox.title')} isBare>
      <Paper p="lg">
        <Stack>
          <Text>{say('sandbox.text')}</Text>
          <Group>
            <LinkButton to="/$owner/$environment/try" params={{ owner, environment }}>
              {say('sandbox.tryIt')}
            </LinkButton>
            {owner !== 'me' && (
              <LinkButton
                to="/$owner/$environment/verification"
                params={{ owner, environment }}
                search={{ step: 'documents' }}
                variant="default"
              >
                {say('sandbox.documents')}
              </LinkButton>
            )}
          </Group>
          <Stack gap={4}>
            <Text fw={600}>{say('sandbox.page')}</Text>
            <Group gap="xs" wrap="nowrap">
              <Anchor href={sandbox.page_url} target="_blank" rel="noreferrer" style={{ overflowWrap: 'anywhere' }}>
                {sandbox.page_url}
              </Anchor>
              <CopyButton value={sandbox.page_url} label={say('sandbox.page')} />
            </Group>
            <Note>{say('sandbox.payer')}</Note>
          </Stack>
          <Stack gap={4}>
            <Text fw={600}>{say('sandbox.key')}</Text>
            <ShownOnce value={sandbox.key} label={say('sandbox.key')} onDone={done} />
          </Stack>
          <Group>
            <DocsWithKey value={sandbox.key} />
          </Group>
          <TextLink to="/$owner/$environment/developers/quick-start" params={{ owner, environment }}>
            {say('sandbox.quickStart')}
          </TextLink>
        </Stack>
      </Paper>
    </Section>
  )
}
