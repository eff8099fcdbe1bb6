/** Shown when data could not be read: the reason, the request id, and a retry. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from './icons.ts'
import { ApiError } from '../api/api-error.ts'
import { problemText } from './problem-text.ts'
import { shared } from './texts.ts'

type Props = { error: unknown; onRetry?: () => unknown }

export function ErrorState({ error, onRetry }: Props) {
  const say = shared.use()
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="alert" title={problemText(error)}>
      <Stack gap="xs" align="start">
        {requestId !== undefined && (
          <Text size="sm">
            <Code>{say('requestId', { id: requestId })}</Code>
          </Text>
        )}
        {onRetry && (
          <Group>
            <Button size="xs" variant="default" onClick={() => void onRetry()}>
              {say('tryAgain')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
