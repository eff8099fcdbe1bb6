/** The error of a form as a whole, above it. Screen readers announce it, and the window title mentions the error. */
import { Alert } from '@mantine/core'
import { useLayoutEffect } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'

const texts = defineTexts('form-problem', { en: { error: 'Error' }, sw: { error: 'Kosa' } })

export function FormProblem({ text }: { text: string | undefined }) {
  const say = texts.use()
  const prefix = `${say('error')}: `
  useLayoutEffect(() => {
    if (text === undefined) return undefined
    const before = document.title
    document.title = `${prefix}${before}`
    return () => {
      document.title = before
    }
  }, [text, prefix])
  if (text === undefined) return null
  return (
    <Alert color="red" role="alert">
      {text}
    </Alert>
  )
}
