/** The documents of a person or a business, one card for each. */
import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect } from 'react'
import { DocumentCard, type KeptDocument } from './document-card.tsx'
import classes from './document-card.module.css'
import type { ItemError } from './item-problems.ts'
import { verificationTexts } from './texts.ts'
import { resume, type Subject } from './uploads.ts'

type Props = {
  subject: Subject
  documents: readonly KeptDocument[]
  errors: readonly ItemError[]
  onChanged(): void
}

export function Documents({ subject, documents, errors, onChanged }: Props) {
  const say = verificationTexts.use()
  const isPhone = useMediaQuery('(pointer: coarse)')
  const { kind, id } = subject
  useEffect(() => {
    // After a new sign-in or when the connection is back, interrupted uploads continue.
    const goOn = (): void => resume({ kind, id })
    goOn()
    addEventListener('online', goOn)
    return () => removeEventListener('online', goOn)
  }, [kind, id])
  useEffect(() => {
    const stay = (event: Event): void => event.preventDefault()
    addEventListener('dragover', stay)
    addEventListener('drop', stay)
    return () => {
      removeEventListener('dragover', stay)
      removeEventListener('drop', stay)
    }
  }, [])
  return (
    <>
      <Text c="dimmed">{say(isPhone ? 'documentsTextPhone' : 'documentsText')}</Text>
      <ul className={classes['list']} aria-label={say('steps.documents')}>
        {documents.map((document) => (
          <DocumentCard
            key={document.purpose}
            subject={subject}
            document={document}
            error={errors.find(({ item }) => item === document.purpose)}
            onChanged={onChanged}
          />
        ))}
      </ul>
    </>
  )
}
