/** Where a person studies, who has not said so at the registration: it is kept with what they register or submit next. */
import { Button, Group, Paper, SimpleGrid, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { Note } from '../../ui/note.tsx'
import { verificationTexts } from './texts.ts'

export function StudentForm() {
  const say = verificationTexts.use()
  const client = useQueryClient()
  const form = useForm({
    fields: { institution: '', student_id: '' },
    required: ['institution', 'student_id'],
    send: async (body) => {
      await call('PATCH /v1/me', { body })
      await client.invalidateQueries({ queryKey: ['GET /v1/me'] })
    },
  })
  return (
    <Form of={form}>
      <Paper p="lg">
        <Title order={3}>{say('student.title')}</Title>
        <Note>{say('student.text')}</Note>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="md" mt="md">
          <TextInput label={say('fact.institution')} autoComplete="organization" maxLength={120} {...form.field('institution')} />
          <TextInput label={say('fact.student_id')} autoComplete="off" maxLength={64} {...form.field('student_id')} />
        </SimpleGrid>
      </Paper>
      <Group>
        <Button type="submit" size="md" loading={form.isBusy}>
          {say('saveAndGoOn')}
        </Button>
      </Group>
    </Form>
  )
}
