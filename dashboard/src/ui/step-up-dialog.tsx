/** Asks once more who somebody is, when the API wants it; what was asked for then goes on by itself. */
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { answerStepUpsWith, call } from '../api/call.ts'
import { CodeInput } from './code-input.tsx'
import { problemText } from './problem-text.ts'
import { shared } from './texts.ts'

export function StepUpDialog() {
  const say = shared.use()
  const client = useQueryClient()
  const [hasFactor, setHasFactor] = useState<boolean>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const [proof, setProof] = useState('')
  const answer = useRef<(isProved: boolean) => void>(undefined)

  useEffect(() => {
    answerStepUpsWith(async () => {
      // Somebody else's request waits for the same dialog.
      answer.current?.(false)
      const { data } = await call('GET /v1/me', {})
      setProof('')
      setProblem(undefined)
      setHasFactor(data.two_factor.enabled)
      return new Promise((resolve) => {
        answer.current = resolve
      })
    })
  }, [])

  const end = (isProved: boolean): void => {
    answer.current?.(isProved)
    answer.current = undefined
    setHasFactor(undefined)
  }

  const send = async (): Promise<void> => {
    setIsBusy(true)
    try {
      await call('POST /v1/auth/step-up', { body: hasFactor ? { code: proof } : { password: proof } })
      await client.invalidateQueries({ queryKey: ['GET /v1/auth/sessions'] })
      end(true)
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <Modal opened={hasFactor !== undefined} onClose={() => end(false)} title={say('stepUp.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Stack>
          <Text c="dimmed">{say('stepUp.why')}</Text>
          {hasFactor ? (
            <CodeInput label={say('stepUp.code')} value={proof} onChange={setProof} error={problem} />
          ) : (
            <PasswordInput
              label={say('stepUp.password')}
              autoComplete="current-password"
              value={proof}
              onChange={(event) => setProof(event.currentTarget.value)}
              error={problem}
              data-autofocus
            />
          )}
          <Group justify="end">
            <Button variant="default" onClick={() => end(false)}>
              {say('cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={proof === ''}>
              {say('continue')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
