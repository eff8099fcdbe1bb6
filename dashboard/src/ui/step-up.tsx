/** Waits for a request that asks once more who somebody is; the dialog itself is fetched when one does. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { answerStepUpsWith } from '../api/call.ts'

const StepUpDialog = lazy(() => import('./step-up-dialog.tsx'))

type Asked = { answer(isProved: boolean): void }

export function StepUp() {
  const [asked, setAsked] = useState<Asked>()
  useEffect(
    () =>
      answerStepUpsWith(
        () =>
          new Promise((resolve) => {
            setAsked((before) => {
              // Two requests wait for one dialog: what it answers holds for both.
              const answer = (isProved: boolean): void => {
                before?.answer(isProved)
                resolve(isProved)
              }
              return { answer }
            })
          }),
      ),
    [],
  )
  if (!asked) return null
  return (
    <Suspense>
      <StepUpDialog
        onEnd={(isProved) => {
          asked.answer(isProved)
          setAsked(undefined)
        }}
      />
    </Suspense>
  )
}
