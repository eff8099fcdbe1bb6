/** What a verification needs, how long it takes and why, before its first field. */
import { Note } from '../../ui/note.tsx'
import { List, Paper, Stack, Text, Title } from '@mantine/core'
import type { Purpose, Subject } from './uploads.ts'
import { verificationTexts } from './texts.ts'

export function Before({ kind, purposes }: { kind: Subject['kind']; purposes: readonly Purpose[] }) {
  const say = verificationTexts.use()
  const isPerson = kind === 'person'
  return (
    <Paper p="lg" component="section" aria-label={say('before.title')}>
      <Stack gap="xs">
        <Title order={2}>{say('before.title')}</Title>
        <Text>{say('before.why')}</Text>
        <Text fw={600}>{say('before.need')}</Text>
        <List spacing={4}>
          <List.Item>{say(isPerson ? 'before.number' : 'before.details')}</List.Item>
          {purposes.map((purpose) => (
            <List.Item key={purpose}>
              {say(`purpose.${purpose}`)}
              <Note>{say(`hint.${purpose}`)}</Note>
            </List.Item>
          ))}
        </List>
        <Text>{say('before.time')}</Text>
        <Note>{say(isPerson ? 'before.kept' : 'before.keptBusiness')}</Note>
      </Stack>
    </Paper>
  )
}
