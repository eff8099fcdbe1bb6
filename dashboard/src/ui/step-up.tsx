/** Waits for a request that needs a step-up; the code of the dialog is loaded then. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { answerStepUpsWith } from '../api/call.ts'

type DialogProps = { onEnd(isProved: boolean): void }

// Nothing above this component would catch the error: the whole app would go away.
const StepUpDialog = lazy(() => import('./step-up-dialog.tsx').catch(() => ({ default: NotLoaded })))

/** The request fails as if the person had closed the dialog. */
function NotLoaded({ onEnd }: DialogProps) {
  useEffect(() => onEnd(false), [onEnd])
  return <></>
}

type Asked = { answer(isProved: boolean): void }

export function StepUp() {
  const [asked, setAsked] = useState<Asked>()
  useEffect(
    () =>
      answerStepUpsWith(
        () =>
          new Promise((resolve) => {
            setAsked((before) => {
              // Two requests wait for one dialog: its result applies to both.
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
