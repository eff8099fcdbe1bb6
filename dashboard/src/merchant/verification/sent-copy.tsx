/** What was uploaded before, as a picture made from it: for the person who sent it, once at each opening. */
import { Button, Loader, Modal, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { call, fetchDocument } from '../../api/call.ts'
import { Note } from '../../ui/note.tsx'
import { Problem } from '../../ui/form.tsx'
import classes from './document-card.module.css'
import { verificationTexts } from './texts.ts'
import type { Purpose, Subject } from './uploads.ts'

async function openCopy({ kind, id }: Subject, purpose: Purpose): Promise<Blob> {
  const { data } =
    kind === 'person'
      ? await call('POST /v1/kyc/documents/{purpose}/view', { params: { purpose } })
      : await call('POST /v1/businesses/{business_id}/documents/{purpose}/view', { params: { business_id: id, purpose } })
  return fetchDocument(data.view_url)
}

export function SentCopy({ subject, purpose }: { subject: Subject; purpose: Purpose }) {
  const say = verificationTexts.use()
  const [isOpen, setIsOpen] = useState(false)
  const name = say(`purpose.${purpose}`)
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        className={classes['look']!}
        onClick={() => setIsOpen(true)}
        aria-label={`${say('lookAtSent')}: ${name}`}
      >
        {say('lookAtSent')}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={name} size="xl">
        {isOpen && <Copy subject={subject} purpose={purpose} name={name} />}
      </Modal>
    </>
  )
}

function Copy({ subject: { kind, id }, purpose, name }: { subject: Subject; purpose: Purpose; name: string }) {
  const say = verificationTexts.use()
  const [address, setAddress] = useState<string>()
  const [error, setError] = useState<unknown>()
  // The picture is in the memory of this tab, and only while it is shown.
  useEffect(() => {
    let isWanted = true
    let made: string | undefined
    openCopy({ kind, id }, purpose).then(
      (copy) => {
        if (!isWanted) return
        made = URL.createObjectURL(copy)
        setAddress(made)
      },
      (problem: unknown) => isWanted && setError(problem),
    )
    return () => {
      isWanted = false
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [kind, id, purpose])
  if (error) return <Problem error={error} />
  if (address === undefined) return <Loader size="sm" />
  return (
    <Stack gap="xs">
      <Note>{say('sentCopy')}</Note>
      <img src={address} alt={name} className={classes['whole']} />
    </Stack>
  )
}
