/** Above a form: what was wrong as a whole. It is read out at once. */
import { Alert } from '@mantine/core'

export function FormProblem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <Alert color="red" role="alert">
      {text}
    </Alert>
  )
}
